#!/usr/bin/env bash
# fetch_swiftshader.sh DIR: puts SwiftShader, a second Vulkan driver that needs no GPU, into DIR and prints the path of its ICD file.
# It comes out of Debian's chromium-common package, which is not installed for that. Chromium's Vulkan loader, which is newer than
# Debian's, goes to DIR/loader where the package has it. Returns 1, after one sentence, when SwiftShader cannot be had.
set -euo pipefail

usage="usage: scripts/fetch_swiftshader.sh DIR
Puts SwiftShader, a second Vulkan driver that needs no GPU, into DIR and prints the path of its ICD file."
case "${1:-}" in
  --help | -h) echo "$usage"; exit 0 ;;
esac
if [[ $# -ne 1 ]]; then
  echo "$usage" >&2
  exit 2
fi
mkdir -p "$1"
dir=$(cd "$1" && pwd)
icd="$dir/vk_swiftshader_icd.json"
library="$dir/libvk_swiftshader.so"
loader="$dir/loader"

give_up() {
  echo "SwiftShader cannot be had: $1" >&2
  exit 1
}

if [[ ! -f "$icd" || ! -f "$library" || ! -d "$loader" ]]; then
  if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
    give_up "this system has no apt-get and dpkg-deb."
  fi
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  (cd "$work" && apt-get download --quiet -o APT::Sandbox::User=root chromium-common >apt.log 2>&1) ||
    give_up "apt-get download chromium-common said: $(tail -n 1 "$work/apt.log")"
  dpkg-deb --fsys-tarfile "$work"/chromium-common_*.deb |
    tar --extract --directory "$work" ./usr/lib/chromium/libvk_swiftshader.so ./usr/lib/chromium/vk_swiftshader_icd.json ||
    give_up "chromium-common no longer brings it."
  mkdir -p "$loader"
  dpkg-deb --fsys-tarfile "$work"/chromium-common_*.deb |
    tar --extract --to-stdout ./usr/lib/chromium/libvulkan.so.1 >"$loader/libvulkan.so.1" || rm -f "$loader/libvulkan.so.1"
  mv "$work/usr/lib/chromium/libvk_swiftshader.so" "$library"
  mv "$work/usr/lib/chromium/vk_swiftshader_icd.json" "$icd"
fi
echo "$icd"
