# shellcheck shell=bash
# The Debian packages that Tandem is built, shown and tested with, and how they get here. Sourced by ./demo and ./check.

# Without these nothing is built.
BUILD_PACKAGES=(
  ccache cmake g++ glslang-tools mold ninja-build pkg-config python3
  libcli11-dev libdrm-dev libfmt-dev libhwy-dev libpng-dev libseat-dev libspdlog-dev libspice-protocol-dev libtomlplusplus-dev
  libvulkan-dev libwayland-dev libx11-dev libxcb-dri3-dev libxcb-present-dev libxcb-randr0-dev libxcb-shm0-dev libxcb1-dev
  nlohmann-json3-dev wayland-protocols
)
# shellcheck disable=SC2034  # read by the scripts that source this file
DEMO_PACKAGES=(imagemagick mesa-vulkan-drivers vulkan-tools x11-utils xauth xvfb)
# Tests that miss one of the programs here are skipped with that reason.
# shellcheck disable=SC2034
TEST_PACKAGES=(
  clang clang-format clang-tidy fish gfxreconstruct git groff-base libbenchmark-dev libclang-rt-14-dev libegl-dev libgl1-mesa-dri libgles-dev libgmock-dev libgtest-dev
  llvm mangohud mesa-utils vkbasalt
  dbus-daemon grim libglib2.0-bin libglib2.0-dev libgtk-4-dev libsystemd-dev libvirglrenderer-dev seatd shellcheck spirv-tools strace sway switcheroo-control
  vulkan-validationlayers weston xdotool xserver-xorg-core "${DEMO_PACKAGES[@]}"
  busybox-static cpio gcc-12 kmod make qemu-system-x86 xz-utils zstd  # scripts/vm.sh
)

# The programs of ./check --programs (scripts/program_rows.py), and what runs and photographs them.
# shellcheck disable=SC2034
PROGRAM_PACKAGES=(
  ffmpeg gdb godot3 grim gstreamer1.0-gl gstreamer1.0-plugins-bad gstreamer1.0-plugins-base gstreamer1.0-tools gtk-4-examples imagemagick
  kitty libfaketime libsdl2-tests mesa-utils mesa-vulkan-drivers mpv qml-module-qtquick2 qml-module-qtquick-window2 qml-qt6
  qml6-module-qtqml-workerscript qml6-module-qtquick qml6-module-qtquick-window qmlscene qt6-wayland retroarch sway vkd3d-demos
  vulkan-tools warzone2100 xvfb xwayland
)

# What bench/run compares with; without primus-vk, LZ4 or libyuv that comparison is left out.
# shellcheck disable=SC2034
BENCH_PACKAGES=(libbenchmark-dev libgtest-dev liblz4-dev libyuv-dev primus-vk)

# Those of the named packages that are not installed, one name a line.
missing_packages() {
  local package
  for package in "$@"; do
    if [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]]; then
      printf '%s\n' "$package"
    fi
  done
}

# Those of the named packages that apt knows no version of, one name a line.
unavailable_packages() {
  local package
  for package in "$@"; do
    if ! apt-cache show --no-all-versions "$package" >/dev/null 2>&1; then
      printf '%s\n' "$package"
    fi
  done
}

# Runs a command as root: directly, or with sudo.
as_root() {
  if [[ "$(id -u)" -eq 0 ]]; then
    "$@"
  else
    sudo "$@"
  fi
}

apt_install() {
  mkdir -p build/log
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends --no-upgrade \
    -o DPkg::Lock::Timeout=600 "$@" >build/log/packages.log 2>&1 || { tail -n 20 build/log/packages.log; return 1; }
}

apt_update() {
  as_root apt-get update --quiet --quiet -o DPkg::Lock::Timeout=600 || echo "The package lists could not be refreshed; going on with those that are here."
}

# install_packages NAME...: installs what is missing with one apt-get call, and says in one sentence what cannot be had.
# Returns 1 when one of BUILD_PACKAGES is among that.
install_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "This system has no apt-get; Tandem expects what these Debian packages bring: $*"
    return 0
  fi
  local -a missing unavailable
  mapfile -t missing < <(missing_packages "$@")
  if [[ ${#missing[@]} -eq 0 ]]; then
    echo "All packages are here."
    return 0
  fi
  if [[ "$(id -u)" -ne 0 ]] && ! command -v sudo >/dev/null; then
    echo "These packages are missing, and neither root nor sudo is here to install them: ${missing[*]}"
    has_build_packages
    return
  fi
  local updated=0
  mapfile -t unavailable < <(unavailable_packages "${missing[@]}")
  if [[ ${#unavailable[@]} -gt 0 ]]; then
    apt_update
    updated=1
    mapfile -t unavailable < <(unavailable_packages "${missing[@]}")
  fi
  if [[ ${#unavailable[@]} -gt 0 ]]; then
    echo "apt knows no package of this name, so it cannot be installed: ${unavailable[*]}"
    mapfile -t missing < <(comm -23 <(printf '%s\n' "${missing[@]}" | sort) <(printf '%s\n' "${unavailable[@]}" | sort))
  fi
  if [[ ${#missing[@]} -gt 0 ]]; then
    echo "Installing ${missing[*]}"
    # Lists that are out of date name files that are gone from the mirror: once more with fresh ones.
    if ! apt_install "${missing[@]}" && [[ $updated -eq 0 ]] && apt_update; then
      apt_install "${missing[@]}" || true
    fi
  fi
  has_build_packages
}

# True when everything that a build needs is installed; otherwise one sentence.
has_build_packages() {
  local -a missing
  mapfile -t missing < <(missing_packages "${BUILD_PACKAGES[@]}")
  if [[ ${#missing[@]} -gt 0 ]]; then
    echo "Tandem cannot be built without these packages: ${missing[*]}"
    return 1
  fi
}
