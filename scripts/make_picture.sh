#!/usr/bin/env bash
# make_picture.sh PICTURE: the README's picture from a real run: vkcube through Tandem, and tandem status --watch beside it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/virtual_display.sh

usage="usage: scripts/make_picture.sh PICTURE
Takes docs/running.png anew. Needs a build, Xvfb, xterm, xdotool, vkcube and ImageMagick."
case "${1:-}" in
  --help | -h) echo "$usage"; exit 0 ;;
  "") echo "$usage" >&2; exit 2 ;;
esac
picture=$1
tandem=$PWD/build/release/tandem
width=1260 height=300
[[ -x $tandem ]] || { echo "$tandem is not built; ./demo builds it." >&2; exit 1; }
out=$(mktemp -d)
pids=()
cleanup() {
  [[ ${#pids[@]} -eq 0 ]] || kill "${pids[@]}" 2>/dev/null || true
  rm -rf "$out"
}
trap cleanup EXIT

start_virtual_display "$out" "${width}x$height"
pids+=("$xvfb_pid")
export XDG_RUNTIME_DIR="$out"  # where programs leave their figures for tandem status

# Plain frames would take 32 MB/s, so an encoding is chosen.
"$tandem" run --link-limit 25MB/s -- vkcube --width 440 --height "$height" >"$out/vkcube.log" 2>&1 &
pids+=($!)
# vkcube asks for a place of its own.
for _ in $(seq 100); do
  window=$(window_ids "440x$height" | head -n 1)
  [[ -n $window ]] && break
  sleep 0.1
done
xdotool windowmove "$window" 0 0
xterm -geometry 98x17+450+0 -fa 'DejaVu Sans Mono' -fs 10 -bg '#10161d' -fg '#d7e0ea' -b 12 -e "$tandem" status --watch &
pids+=($!)
sleep 12
import -silent -window root "$picture"
echo "The picture is in $picture."
