#!/usr/bin/env bash
# Runs a command in a throw-away virtual machine. See --help.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: scripts/vm.sh [--memory MIB] [--seconds LIMIT] [--write FOLDER] [--help] [--] COMMAND [ARGUMENT...]

Runs COMMAND as root in a virtual machine that sees this machine's files, read-only under memory of its own, and has what
a container or a machine without graphics lacks: Debian's kernel 6.12 with /dev/udmabuf. What the command prints is printed,
and its exit status is returned; 77 and a reason when there can be no such machine.

  --memory MIB     memory of the machine (default 2048)
  --seconds LIMIT  the machine is switched off after this time (default 300)
  --write FOLDER   what COMMAND writes here stays; everything else that it writes is lost with the machine
  --help           this text

Needs qemu-system-x86, busybox-static, cpio, kmod, xz-utils and zstd. The kernel comes from bookworm-backports once, about
100 MB, and is kept in ${XDG_CACHE_HOME:-~/.cache}/tandem/vm. The machine is emulated: programs run about ten times slower.
TEXT
}

unavailable() { echo "No virtual machine: $1" >&2; exit 77; }

memory=2048 seconds=300 write=
while [[ $# -gt 0 ]]; do
  case "$1" in
    --memory | --seconds)
      [[ ${2:-} =~ ^[1-9][0-9]{0,5}$ ]] || { echo "$1 needs a number from 1 to 999999; it is '${2:-}'." >&2; exit 2; }
      declare "${1#--}=$2"
      shift 2
      ;;
    --write)
      [[ -d ${2:-} ]] || { echo "--write needs a folder; '${2:-}' is none." >&2; exit 2; }
      write=$(realpath "$2")
      shift 2
      ;;
    --help | -h) usage; exit 0 ;;
    --) shift; break ;;
    [!-]*) break ;;
    *) echo "Unknown option $1; scripts/vm.sh --help names those that exist." >&2; exit 2 ;;
  esac
done
[[ $# -gt 0 ]] || { echo "A command is missing; scripts/vm.sh --help tells the usage." >&2; exit 2; }

cache=${XDG_CACHE_HOME:-$HOME/.cache}/tandem/vm
for tool in qemu-system-x86_64 busybox cpio depmod xz zstd; do
  PATH=$PATH:/sbin:/usr/sbin command -v "$tool" >/dev/null || unavailable "$tool is not installed."
done
PATH=$PATH:/sbin:/usr/sbin

# Debian's kernel package, by an apt state of its own: the machine's package lists stay as they are.
fetch_kernel() {
  local work=$1 package
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm-backports main" >"$work/sources.list"
  local -a apt=(-qq -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists"
    -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
  apt-get "${apt[@]}" update || return 1
  package=$(apt-cache "${apt[@]}" search --names-only '^linux-image-6[.]12[.][0-9]+[+]deb12-amd64$' | cut -d' ' -f1 | sort -V | tail -n 1)
  [[ -n $package ]] || return 1
  (cd "$work" && apt-get "${apt[@]}" download "$package" && dpkg -x "$package"_*.deb package) || return 1
}

# The kernel without its compression, which an emulated processor takes seconds for.
extract_kernel() {
  local image=$1 offset
  offset=$(LC_ALL=C grep --byte-offset --only-matching --text --max-count=1 --perl-regexp '\x28\xb5\x2f\xfd' "$image" | head -n 1 | cut -d: -f1)
  [[ -n $offset ]] || return 1
  # What follows the compressed kernel is not zstd's, which it says after all is written.
  tail -c "+$((offset + 1))" "$image" | zstd -dcq 2>/dev/null || true
}

# What mounts this machine's files and starts the command.
write_init() {
  cat <<'TEXT'
#!/bin/busybox sh
export PATH=/bin
/bin/busybox --install -s /bin
mount -t proc none /proc; mount -t sysfs none /sys; mount -t devtmpfs none /dev
for module in /modules/*.ko; do insmod "$module" 2>/dev/null; done
options=trans=virtio,version=9p2000.L,msize=524288
mount -t 9p -o "$options,ro,cache=loose" root /lower && mount -t tmpfs none /memory && mkdir /memory/up /memory/work &&
  mount -t overlay -o lowerdir=/lower,upperdir=/memory/up,workdir=/memory/work none /new || poweroff -f
mkdir -p /new/vm && mount -t 9p -o "$options" vm /new/vm
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

pack_initramfs() {
  local package=$1 into=$2 version number=0 module
  version=$(basename "$package"/lib/modules/*)
  depmod -b "$package" "$version"
  mkdir -p "$into"/{bin,dev,lower,memory,modules,new,proc,sys}
  cp "$(command -v busybox)" "$into/bin/busybox"
  write_init >"$into/init"
  chmod +x "$into/init"
  while read -r _ module _; do
    number=$((number + 1))
    xz -dc "$module" >"$into/modules/$(printf '%02d' "$number")-$(basename "$module" .xz)"
  done < <(for name in virtio_pci 9pnet_virtio 9p overlay; do modprobe -d "$package" -S "$version" --show-depends "$name"; done |
    grep '^insmod' | awk '!seen[$2]++')
  [[ $number -gt 0 ]]
}

prepare() {
  local work
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/new.XXXXXX")
  # shellcheck disable=SC2064  # the folder of this call
  trap "rm -rf '$work'" EXIT
  echo "Fetching Debian's kernel 6.12 into $cache, once …" >&2
  fetch_kernel "$work" >&2 || unavailable "bookworm-backports has no kernel 6.12 for this machine, or cannot be reached."
  extract_kernel "$work"/package/boot/vmlinuz-* >"$work/vmlinux"
  [[ -s $work/vmlinux ]] || unavailable "the kernel of $work is packed in a way that is not known."
  pack_initramfs "$work/package" "$work/initramfs" || unavailable "the kernel package lacks the modules of 9p."
  (cd "$work/initramfs" && find . | cpio --quiet -o -H newc) >"$work/initramfs.cpio"
  mv "$work/initramfs.cpio" "$work/vmlinux" "$cache/"
  rm -rf "$work"
  trap - EXIT
}

[[ -s $cache/vmlinux && -s $cache/initramfs.cpio ]] || prepare

exchange=$(mktemp -d)
trap 'rm -rf "$exchange"' EXIT
{
  export -p | grep -v -E '^declare -x (PWD|OLDPWD|SHLVL|_|DISPLAY|WAYLAND_DISPLAY|DBUS_[A-Z_]*|XDG_RUNTIME_DIR)='
  printf 'cd %q || exit 127\n' "$PWD"
  printf '%q ' "$@"
  echo
} | sed 's/^declare -x /export /' >"$exchange/command"

extra=()
if [[ -n $write ]]; then
  printf '%s' "$write" >"$exchange/write"
  extra=(-fsdev "local,id=write,path=$write,security_model=none" -device "virtio-9p-pci,fsdev=write,mount_tag=write")
fi
timeout --kill-after=5 "$seconds" qemu-system-x86_64 -M pc -accel tcg,thread=multi -cpu max -smp 2 -m "$memory" -nodefaults -display none \
  -no-reboot -serial "file:$exchange/console" -kernel "$cache/vmlinux" -initrd "$cache/initramfs.cpio" \
  -append "console=ttyS0 quiet panic=-1 mitigations=off" \
  -fsdev local,id=root,path=/,security_model=none,readonly=on,multidevs=remap -device virtio-9p-pci,fsdev=root,mount_tag=root \
  -fsdev "local,id=vm,path=$exchange,security_model=none" -device virtio-9p-pci,fsdev=vm,mount_tag=vm "${extra[@]}" || true

[[ ! -f $exchange/output ]] || cat "$exchange/output"
if [[ ! -s $exchange/status ]]; then
  [[ -f $exchange/output ]] && { echo "The machine was switched off after $seconds s." >&2; exit 124; }
  tail -n 5 "$exchange/console" >&2 2>/dev/null || true
  unavailable "it did not start within $seconds s."
fi
exit "$(<"$exchange/status")"
