#!/usr/bin/env bash
# Runs a command in a throw-away virtual machine. See --help.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: scripts/vm.sh [--kernel VERSION] [--devices LIST] [--mesa] [--memory MIB] [--seconds LIMIT] [--silence LIMIT]
                     [--write FOLDER] [--help] [--] COMMAND [ARGUMENT...]

Runs COMMAND as root in a virtual machine that sees this machine's files, read-only under memory of its own, and has what
a container or a machine without graphics lacks: /dev/udmabuf and display adapters. What the command prints is printed,
and its exit status is returned; 77 and a reason when there can be no such machine.

  --kernel VERSION 6.12 (default) or 6.1: Debian's kernels, made by scripts/vm_kernel.sh
  --devices LIST   display adapters, by commas (default none: Mesa chooses its drivers by what is there):
                   vkms (writeback, overlay and cursor planes), virtio-gpu, bochs, cirrus, vgem (buffers and fences alone).
                   scripts/vm_screendump.sh, run by COMMAND, photographs the screens of virtio-gpu, bochs and cirrus.
  --mesa           COMMAND uses Mesa 25 (scripts/fetch_mesa.sh), whose lavapipe and EGL know dma-bufs
  --memory MIB     memory of the machine (default 2048)
  --seconds LIMIT  the machine is switched off after this time (default 300)
  --silence LIMIT  a machine whose COMMAND prints nothing for this time is started once more (default: none is). QEMU 7.2 may
                   keep both processors busy without a step of the machine.
  --write FOLDER   what COMMAND writes here stays; everything else that it writes is lost with the machine
  --help           this text

Needs qemu-system-x86 and what scripts/vm_kernel.sh needs. A kernel is made once and kept in
${XDG_CACHE_HOME:-~/.cache}/tandem/vm. The machine is emulated: programs run about ten times slower.
TEXT
}

unavailable() { echo "No virtual machine: $1" >&2; exit 77; }

kernel=6.12 memory=2048 seconds=300 silence=0 write="" mesa=""
devices=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    --kernel)
      [[ ${2:-} == 6.12 || ${2:-} == 6.1 ]] || { echo "--kernel is 6.12 or 6.1; it is '${2:-}'." >&2; exit 2; }
      kernel=$2
      shift 2
      ;;
    --devices)
      IFS=, read -r -a devices <<<"${2:-}"
      for device in "${devices[@]}"; do
        [[ " vkms virtio-gpu bochs cirrus vgem " == *" $device "* ]] || { echo "There is no device '$device'; scripts/vm.sh --help names those that exist." >&2; exit 2; }
      done
      shift 2
      ;;
    --mesa) mesa=1; shift ;;
    --memory | --seconds | --silence)
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

PATH=$PATH:/sbin:/usr/sbin
command -v qemu-system-x86_64 >/dev/null || unavailable "qemu-system-x86_64 is not installed."

# A change of scripts/vm_kernel.sh is another kernel; the first of several calls makes it.
maker=$(dirname "${BASH_SOURCE[0]}")/vm_kernel.sh
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tandem/vm
mkdir -p "$cache"
folder=$cache/$kernel-$(sha256sum "$maker" | cut -c1-12)
(
  flock 9
  [[ -s $folder/vmlinux ]] && exit
  echo "Making kernel $kernel in $folder, once …" >&2
  "$maker" "$kernel" "$folder"
) 9>"$cache/lock" || exit

[[ -z $mesa ]] || mesa=$("${maker%/*}/fetch_mesa.sh" "$cache/mesa") || exit

exchange=$(mktemp -d)
emulator=
trap '[[ -z $emulator ]] || kill "$emulator" 2>/dev/null; rm -rf "$exchange"' EXIT
touch "$exchange/devices"
extra=() screen=
for device in "${devices[@]}"; do
  echo "$device" >>"$exchange/devices"
  case "$device" in
    virtio-gpu) screen=virtio-gpu-pci ;;
    bochs) screen=bochs-display ;;
    cirrus) screen=cirrus-vga ;;
    *) continue ;;
  esac
  extra+=(-device "$screen,id=$device")
done
if [[ -n $screen ]]; then
  # The emulator's monitor is the machine's second serial port, by a socket that both ends are inside the emulator.
  extra+=(-chardev "socket,id=monitor,path=$exchange/monitor,server=on,wait=off" -mon "chardev=monitor,mode=control"
    -chardev "socket,id=port,path=$exchange/monitor" -serial chardev:port)
fi
{
  export -p | grep -v -E '^declare -x (PWD|OLDPWD|SHLVL|_|DISPLAY|WAYLAND_DISPLAY|DBUS_[A-Z_]*|XDG_RUNTIME_DIR)='
  [[ -z $mesa ]] || echo "$mesa"
  [[ -z $screen ]] || printf 'export TANDEM_VM_FOLDER=%q TANDEM_VM_SCREENDUMP=%q\n' "$exchange" "$(realpath "${maker%/*}/vm_screendump.sh")"
  printf 'cd %q || exit 127\n' "$PWD"
  printf '%q ' "$@"
  echo
} | sed 's/^declare -x /export /' >"$exchange/command"

if [[ -n $write ]]; then
  printf '%s' "$write" >"$exchange/write"
  extra+=(-fsdev "local,id=write,path=$write,security_model=none" -device "virtio-9p-pci,fsdev=write,mount_tag=write")
fi
silent=0
# What the command prints is printed as it comes.
start() {
  local printer
  rm -f "$exchange/output" "$exchange/status" "$exchange/monitor"
  timeout --kill-after=5 "$seconds" qemu-system-x86_64 -M pc -accel tcg,thread=multi -cpu max -smp 2 -m "$memory" -nodefaults -display none \
    -no-reboot -serial "file:$exchange/console" -kernel "$folder/vmlinux" -initrd "$folder/initramfs.cpio" \
    -append "console=ttyS0 quiet panic=-1 mitigations=off no_timer_check" \
    -fsdev local,id=root,path=/,security_model=none,readonly=on,multidevs=remap -device virtio-9p-pci,fsdev=root,mount_tag=root \
    -fsdev "local,id=vm,path=$exchange,security_model=none" -device virtio-9p-pci,fsdev=vm,mount_tag=vm "${extra[@]}" &
  emulator=$!
  until [[ -f $exchange/output ]] || ! kill -0 "$emulator" 2>/dev/null; do sleep 0.2; done
  if [[ -f $exchange/output ]]; then
    tail --pid="$emulator" --lines=+1 -f "$exchange/output" &
    printer=$!
    while kill -0 "$emulator" 2>/dev/null; do
      sleep 0.5
      [[ $silence -ne 0 && $(($(date +%s) - $(stat -c %Y "$exchange/output"))) -gt $silence ]] || continue
      silent=1
      kill "$emulator"
      break
    done
    wait "$printer" || true
  fi
  wait "$emulator" || true
  emulator=
}
start
if [[ $silent -ne 0 ]]; then
  echo "The machine has printed nothing for $silence s; it is started once more." >&2
  silent=0
  start
# A kernel whose emulator gets too little time may panic before it starts the command.
elif [[ ! -f $exchange/output ]] && grep -q 'Kernel panic' "$exchange/console" 2>/dev/null; then
  start
fi

if [[ ! -s $exchange/status ]]; then
  tail -n 5 "$exchange/console" >&2 2>/dev/null || true
  [[ $silent -eq 0 ]] || { echo "The machine has printed nothing for $silence s again, and was switched off." >&2; exit 124; }
  [[ ! -f $exchange/output ]] || { echo "The machine was switched off after $seconds s." >&2; exit 124; }
  # A fault of the machine is no reason to skip what it was to run.
  ! grep -q 'Kernel panic' "$exchange/console" || { grep -h 'Kernel panic' "$exchange/console" >&2; exit 125; }
  unavailable "it did not start within $seconds s."
fi
exit "$(<"$exchange/status")"
