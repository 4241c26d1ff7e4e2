#!/usr/bin/env bash
# make_picture.sh PICTURE: the README's picture from a real run: vkcube through Tandem, and tandem status --watch beside it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage="usage: scripts/make_picture.sh PICTURE
Takes docs/running.png anew. Needs a build, Xvfb, xterm, vkcube and ImageMagick."
case "${1:-}" in
  --help | -h) echo "$usage"; exit 0 ;;
  "") echo "$usage" >&2; exit 2 ;;
esac
picture=$1
tandem=$PWD/build/release/tandem
width=1240 height=440
[[ -x $tandem ]] || { echo "$tandem is not built; ./demo builds it." >&2; exit 1; }
out=$(mktemp -d)
pids=()
cleanup() {
  [[ ${#pids[@]} -eq 0 ]] || kill "${pids[@]}" 2>/dev/null || true
  rm -rf "$out"
}
trap cleanup EXIT

Xvfb -displayfd 3 -noreset -screen 0 "${width}x${height}x24" -nolisten tcp 3>"$out/display" >"$out/xvfb.log" 2>&1 &
pids+=($!)
for _ in $(seq 100); do
  [[ -s $out/display ]] && break
  sleep 0.1
done
DISPLAY=":$(<"$out/display")"
export DISPLAY
unset WAYLAND_DISPLAY

# Enough for a narrow link, so that an encoding is chosen.
"$tandem" run --link-limit 50MB/s -- vkcube --width 440 --height "$height" >"$out/vkcube.log" 2>&1 &
pids+=($!)
xterm -geometry 98x26+450+0 -fa 'DejaVu Sans Mono' -fs 10 -bg '#10161d' -fg '#d7e0ea' -b 12 -e "$tandem status --watch" &
pids+=($!)
sleep 12
import -silent -window root "$picture"
echo "The picture is in $picture."
