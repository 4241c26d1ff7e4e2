#!/usr/bin/env bash
# Photographs a screen of scripts/vm.sh's machine, from inside it. See --help.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: scripts/vm_screendump.sh [--help] DEVICE FILE

Writes what the emulated screen of DEVICE (virtio-gpu, bochs or cirrus) shows into FILE, as PPM. Runs inside the machine of
scripts/vm.sh, which names this script in TANDEM_VM_SCREENDUMP when it has such a screen.
TEXT
}

[[ ${1:-} != --help && ${1:-} != -h ]] || { usage; exit 0; }
[[ $# -eq 2 ]] || { usage >&2; exit 2; }
[[ -n ${TANDEM_VM_FOLDER:-} ]] || { echo "This is not a machine of scripts/vm.sh with a screen." >&2; exit 77; }

# The second serial port is the emulator's monitor. The emulator knows the folder /vm by its name outside. A byte 0xff ends what the
# terminal echoed before it was told not to.
picture=screen.$$
stty -F /dev/ttyS1 raw -echo
exec 3<>/dev/ttyS1
printf '\xff\n{"execute":"qmp_capabilities"}\n{"execute":"screendump","id":"%s","arguments":{"device":"%s","filename":"%s/%s"}}\n' \
  "$picture" "$1" "$TANDEM_VM_FOLDER" "$picture" >&3
while read -t 60 -r answer <&3; do
  if [[ $answer == *"\"id\": \"$picture\""* ]]; then
    [[ $answer == *'"return"'* ]] || { echo "$answer" >&2; exit 1; }
    cat "/vm/$picture" >"$2"
    rm "/vm/$picture"
    exit 0
  fi
done
echo "The emulator did not answer within 60 s." >&2
exit 1
