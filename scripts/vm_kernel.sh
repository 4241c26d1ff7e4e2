#!/usr/bin/env bash
# Makes a kernel of scripts/vm.sh. See --help.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: scripts/vm_kernel.sh [--help] 6.12|6.1 FOLDER

Makes the kernel that scripts/vm.sh starts: FOLDER gets vmlinux, initramfs.cpio and package, the name of Debian's package.
  6.12  newest of bookworm-backports
  6.1   newest of Debian 12 itself
Debian builds neither vkms nor, in 6.1, udmabuf. They are compiled from the kernel's source package against its headers. vkms gets
the encoders' possible_clones, without which the kernel refuses the writeback connector beside another one.

Downloads about 280 MB, takes about a minute, and keeps 80 MB. The package lists of this machine stay as they are. Returns 77 and
a reason when the packages cannot be had. Needs gcc-12, make, busybox-static, cpio, kmod, xz-utils and zstd.
TEXT
}

unavailable() { echo "$1" >&2; exit 77; }

case "${1:-}" in
  --help | -h) usage; exit 0 ;;
  6.12)
    headers='^linux-headers-6[.]12[.][0-9]+[+]deb12-amd64$'
    repositories=("debian bookworm-backports")
    ;;
  6.1)
    headers='^linux-headers-6[.]1[.]0-[0-9]+-amd64$'
    repositories=("debian bookworm" "debian-security bookworm-security")
    ;;
  *) usage >&2; exit 2 ;;
esac
[[ $# -eq 2 ]] || { usage >&2; exit 2; }
kernel=$1 folder=$2
PATH=$PATH:/sbin:/usr/sbin
for tool in apt-get busybox cpio depmod dpkg-deb gcc-12 make xz zstd; do
  command -v "$tool" >/dev/null || unavailable "$tool is not installed."
done
mkdir -p "$folder"
work=$(mktemp -d "$folder/new.XXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/root

# Debian's packages, by an apt state of its own.
fetch_packages() {
  local repository name version more
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  for repository in "${repositories[@]}"; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/$repository main"
  done >"$work/sources.list"
  local -a apt=(-qq -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists"
    -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
  apt-get "${apt[@]}" update || return 1
  name=$(apt-cache "${apt[@]}" search --names-only "$headers" | cut -d' ' -f1 | sort -V | tail -n 1)
  [[ -n $name ]] || return 1
  release=${name#linux-headers-}
  version=$(apt-cache "${apt[@]}" show --no-all-versions "$name" | sed -n 's/^Version: //p')
  # The headers' own words for what they are compiled with: linux-kbuild-…, linux-headers-…-common.
  more=$(apt-cache "${apt[@]}" show --no-all-versions "$name" | grep '^Depends:' | grep -oE 'linux-kbuild-[^ ,]+|linux-headers-[^ ,]+-common' | sort -u)
  # Debian signs an image days after it publishes the headers; the unsigned one comes with them.
  # shellcheck disable=SC2086  # one word for each package
  (cd "$work" && apt-get "${apt[@]}" download "$name" "linux-image-$release-unsigned" "linux-source-$kernel=$version" $more) || return 1
  for name in "$work"/linux-{image,headers,kbuild}-*.deb; do dpkg-deb -x "$name" "$root"; done
}

# The kernel without its compression, which an emulated processor takes seconds for.
extract_kernel() {
  local image=$1 magic offset
  for magic in '\x28\xb5\x2f\xfd:zstd -dcq' '\xfd7zXZ\x00:xz -dcq'; do
    offset=$(LC_ALL=C grep --byte-offset --only-matching --text --max-count=1 --perl-regexp "${magic%%:*}" "$image" |
      head -n 1 | cut -d: -f1) || continue
    # Bytes behind the compressed kernel make the tool complain after all is written.
    tail -c "+$((offset + 1))" "$image" | ${magic#*:} 2>/dev/null || true
    return
  done
}

# The modules that Debian leaves out, built where depmod finds them.
build_modules() {
  local source=$work/linux-source-$kernel modules=$root/lib/modules/$release/extra
  mkdir -p "$modules"
  dpkg-deb --fsys-tarfile "$work/linux-source-$kernel"_*.deb | tar -xO "./usr/src/linux-source-$kernel.tar.xz" | xz -dc |
    tar -x -C "$work" "linux-source-$kernel/drivers/gpu/drm/vkms" "linux-source-$kernel/drivers/dma-buf/udmabuf.c"
  sed -i 's|^\tdrm_mode_config_reset(dev);|\
	if (vkmsdev->config->writeback)\
		encoder->possible_clones = output->wb_connector.encoder.possible_clones =\
			drm_encoder_mask(encoder) \| drm_encoder_mask(\&output->wb_connector.encoder);\
&|' "$source/drivers/gpu/drm/vkms/vkms_output.c"
  grep -q possible_clones "$source/drivers/gpu/drm/vkms/vkms_output.c" || return 1
  # A module may not ask for huge pages nor for memfd_fcntl.
  sed -i 's|^#include <linux/hugetlb.h>|&\
#define is_file_hugepages(file) false\
#define memfd_fcntl(file, command, argument) SHMEM_I(file_inode(file))->seals\
MODULE_IMPORT_NS(DMA_BUF);|' "$source/drivers/dma-buf/udmabuf.c"
  echo 'obj-m := udmabuf.o' >"$source/drivers/dma-buf/Makefile"
  # Debian's headers expect to be installed.
  sed -i "s|/usr/src|$root/usr/src|" "$root/usr/src/linux-headers-$release/Makefile"
  local -a parts=(gpu/drm/vkms)
  grep -q '^CONFIG_UDMABUF=y' "$root/boot/config-$release" || parts+=(dma-buf)
  local part
  for part in "${parts[@]}"; do
    make -s -j "$(nproc)" -C "$root/usr/src/linux-headers-$release" "M=$source/drivers/$part" CONFIG_DRM_VKMS=m CONFIG_DEBUG_INFO_BTF_MODULES= modules || return 1
    strip --strip-debug -o "$modules/$(basename "$source/drivers/$part"/*.ko)" "$source/drivers/$part"/*.ko
  done
}

# The first program of the machine: mounts this machine's files, loads the drivers of its devices and starts the command.
write_init() {
  cat <<'TEXT'
#!/bin/busybox sh
export PATH=/bin
/bin/busybox --install -s /bin
mount -t proc none /proc; mount -t sysfs none /sys; mount -t devtmpfs none /dev
mount -t debugfs none /sys/kernel/debug
load() {
  while read -r module options; do
    name=${module%.ko}
    [ -d "/sys/module/${name//-/_}" ] || insmod "/modules/$module" $options
  done <"/devices/$1"
}
load base
options=trans=virtio,version=9p2000.L,msize=524288
mount -t 9p -o "$options,ro,cache=loose" root /lower && mount -t tmpfs none /memory && mkdir /memory/up /memory/work &&
  mount -t overlay -o lowerdir=/lower,upperdir=/memory/up,workdir=/memory/work none /new || poweroff -f
mkdir -p /new/vm && mount -t 9p -o "$options" vm /new/vm
for device in $(cat /new/vm/devices); do load "$device"; done
for folder in proc sys dev; do mount --move "/$folder" "/new/$folder"; done
mkdir -p /new/dev/shm /new/dev/pts
mount -t tmpfs none /new/dev/shm; mount -t devpts none /new/dev/pts
ip link set lo up
if [ -s /new/vm/write ]; then mount -t 9p -o "$options" write "/new$(cat /new/vm/write)"; fi
chroot /new /bin/sh /vm/command >/new/vm/output 2>&1 </new/dev/null
echo $? >/new/vm/status
sync
poweroff -f
TEXT
}

# pack_modules INTO DEVICE OPTIONS MODULE...: copies modules with all that they need, and lists them under a device's name in the
# order of their loading. The last one gets the options. No console draws on the adapters.
pack_modules() {
  local into=$1 device=$2 options=$3 module name
  shift 3
  for module in "$@"; do modprobe -d "$root" -S "$release" --show-depends "$module"; done >"$work/depends"
  sed -n 's/^insmod \([^ ]*\).*/\1/p' "$work/depends" | awk '!seen[$1]++' | while read -r module; do
    name=$(basename "$module" .xz)
    if [[ $module == *.xz ]]; then xz -dc "$module"; else cat "$module"; fi >"$into/modules/$name"
    echo "$name"
  done | sed -e "\$s/\$/ $options/" -e 's/^drm_kms_helper.ko/& fbdev_emulation=0/' >"$into/devices/$device"
}

pack_initramfs() {
  local into=$1
  depmod -b "$root" "$release"
  mkdir -p "$into"/{bin,dev,devices,lower,memory,modules,new,proc,sys}
  cp "$(command -v busybox)" "$into/bin/busybox"
  write_init >"$into/init"
  chmod +x "$into/init"
  local -a base=(virtio_pci 9pnet_virtio 9p overlay)
  [[ ! -f $root/lib/modules/$release/extra/udmabuf.ko ]] || base+=(udmabuf)
  pack_modules "$into" base '' "${base[@]}"
  pack_modules "$into" vkms 'enable_cursor=1 enable_overlay=1 enable_writeback=1' vkms
  pack_modules "$into" virtio-gpu '' virtio-gpu
  pack_modules "$into" bochs '' bochs
  pack_modules "$into" cirrus '' cirrus
  pack_modules "$into" vgem '' vgem
  (cd "$into" && find . | cpio --quiet -o -H newc) >"$work/initramfs.cpio"
}

release=
fetch_packages >&2 || unavailable "Debian's packages of kernel $kernel cannot be had."
extract_kernel "$root/boot/vmlinuz-$release" >"$work/vmlinux"
[[ -s $work/vmlinux ]] || { echo "The kernel $release is packed in a way that is not known." >&2; exit 1; }
build_modules >&2 || { echo "The modules that kernel $release lacks do not compile." >&2; exit 1; }
pack_initramfs "$work/initramfs"
echo "linux-image-$release-unsigned" >"$work/package"
mv "$work"/{package,initramfs.cpio,vmlinux} "$folder/"
