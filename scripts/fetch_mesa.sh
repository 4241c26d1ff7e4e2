#!/usr/bin/env bash
# Fetches a Mesa that is newer than Debian 12's. See --help.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: scripts/fetch_mesa.sh [--help] FOLDER

Puts Mesa 25 of bookworm-backports into FOLDER, once (25 MB to download, 105 MB on disk), installs nothing, and prints the lines of
a shell that make programs use it: eval "$(scripts/fetch_mesa.sh FOLDER)". Its lavapipe imports and exports dma-bufs where there
is /dev/udmabuf, and its EGL shows dma-bufs of programs. Returns 77 and a reason when it cannot be had.
TEXT
}

unavailable() { echo "Mesa 25 cannot be had: $1" >&2; exit 77; }

case "${1:-}" in
  --help | -h) usage; exit 0 ;;
esac
[[ $# -eq 1 ]] || { usage >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
libraries=$folder/root/usr/lib/x86_64-linux-gnu

fetch() {
  local work=$1 package
  mkdir -p "$work"/{lists,cache/archives}/partial
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm-backports main" >"$work/sources.list"
  # An apt state of its own: the machine's package lists stay as they are.
  local -a apt=(-qq -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists"
    -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
  apt-get "${apt[@]}" update && (cd "$work" && apt-get "${apt[@]}" download mesa-vulkan-drivers libgl1-mesa-dri libegl-mesa0 libgbm1 \
    libglx-mesa0 mesa-libgallium libdrm2 libdrm-amdgpu1 libdrm-intel1) || return 1
  for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work/root" || return 1; done
  local at=$folder/root/usr/lib/x86_64-linux-gnu
  echo "{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"$at/libEGL_mesa.so.0\"}}" >"$work/root/egl.json"
  echo "{\"file_format_version\": \"1.0.0\", \"ICD\": {\"api_version\": \"1.4.305\", \"library_path\": \"$at/libvulkan_lvp.so\"}}" >"$work/root/lvp.json"
}

(
  flock 9
  [[ ! -d $folder/root ]] || exit 0
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || exit 1
  work=$(mktemp -d "$folder/new.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  fetch "$work" >&2 && mv "$work/root" "$folder/root"
) 9>"$folder/lock" || unavailable "bookworm-backports cannot be reached."

cat <<TEXT
export LD_LIBRARY_PATH=$libraries\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
export LIBGL_DRIVERS_PATH=$libraries/dri
export GBM_BACKENDS_PATH=$libraries/gbm
export __EGL_VENDOR_LIBRARY_FILENAMES=$folder/root/egl.json
export VK_ICD_FILENAMES=$folder/root/lvp.json
export TANDEM_TEST_MESA_ICD=$folder/root/lvp.json
TEXT
