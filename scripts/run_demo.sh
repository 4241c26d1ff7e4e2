#!/usr/bin/env bash
# run_demo.sh PICTURE: runs vkcube through the Tandem of build/release, on the display that is here or on one of its own,
# and takes a picture of its window meanwhile.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/virtual_display.sh

usage="usage: scripts/run_demo.sh PICTURE
Runs vkcube through the Tandem of build/release and takes a picture of its window. ./demo builds Tandem first."
case "${1:-}" in
  --help | -h) echo "$usage"; exit 0 ;;
  "") echo "$usage" >&2; exit 2 ;;
esac
picture=$1
tandem=build/release/tandem
out=build/demo
frames=300 width=1280 height=720
[[ -x $tandem ]] || { echo "$tandem is not built; ./demo builds it." >&2; exit 1; }
mkdir -p "$out"
rm -f "$picture" "$out"/*

cube=vkcube
xvfb_pid="" app_pid=""
cleanup() {
  [[ -z $app_pid ]] || kill "$app_pid" 2>/dev/null || true
  [[ -z $xvfb_pid ]] || kill "$xvfb_pid" 2>/dev/null || true
}
trap cleanup EXIT

if [[ -n ${DISPLAY:-} ]] && xdpyinfo >/dev/null 2>&1; then
  echo "Showing on the X display $DISPLAY."
elif [[ -n ${WAYLAND_DISPLAY:-} ]] && command -v vkcube-wayland >/dev/null; then
  unset DISPLAY
  cube=vkcube-wayland
  echo "Showing on the Wayland display $WAYLAND_DISPLAY."
else
  start_virtual_display "$out" 1600x900
  echo "No display here; showing on a virtual one, $DISPLAY."
fi

# True when the picture in file $1 has more than one colour, so that it is not taken before the first frame.
has_content() {
  [[ $(identify -format '%k' "$1" 2>/dev/null || echo 0) -gt 16 ]]
}

before=""
[[ $cube == vkcube-wayland ]] || before=$(window_ids "${width}x$height")
command=("$tandem" run --stats --stats-json "$out/stats.json" --
  "$cube" --c "$frames" --width "$width" --height "$height")
printf '$ %s\n' "${command[*]}"
# A program that hangs must not hang the demo.
timeout 300 "${command[@]}" >"$out/run.log" 2>&1 &
app_pid=$!

if [[ $cube == vkcube ]]; then
  # The program's window is the one that was not there before.
  while kill -0 "$app_pid" 2>/dev/null; do
    window=$(comm -13 <(printf '%s\n' "$before") <(window_ids "${width}x$height") | head -n 1)
    if [[ -n $window ]] && import -silent -window "$window" "$out/shot.png" 2>/dev/null && has_content "$out/shot.png"; then
      mv "$out/shot.png" "$picture"
      break
    fi
    sleep 0.2
  done
fi

status=0
wait "$app_pid" || status=$?
app_pid=""
cat "$out/run.log"
if [[ $status -ne 0 ]]; then
  echo "The program ended with status $status." >&2
  exit 1
fi
if [[ -f $picture ]]; then
  echo "The picture is in $picture, the figures in $out/stats.json."
elif [[ $cube == vkcube-wayland ]]; then
  echo "A Wayland compositor lets no other program take pictures, so there is no $picture; the figures are in $out/stats.json."
else
  echo "No picture could be taken of the program's window." >&2
  exit 1
fi
