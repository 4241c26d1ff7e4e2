#!/usr/bin/env bash
# run_demo.sh PICTURE: runs vkcube through the Tandem of build/release, on the display that is here or on one of its own,
# and takes a picture of its window meanwhile.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

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
  # Xvfb takes the first free number itself and tells it on descriptor 3.
  Xvfb -displayfd 3 -noreset -screen 0 1600x900x24 -nolisten tcp 3>"$out/display" >"$out/xvfb.log" 2>&1 &
  xvfb_pid=$!
  for _ in $(seq 100); do
    [[ -s $out/display ]] && break
    kill -0 "$xvfb_pid" 2>/dev/null || break
    sleep 0.1
  done
  [[ -s $out/display ]] || { echo "Xvfb did not start: $(tail -n 1 "$out/xvfb.log")" >&2; exit 1; }
  DISPLAY=":$(<"$out/display")"
  export DISPLAY
  unset WAYLAND_DISPLAY
  echo "No display here; showing on a virtual one, $DISPLAY."
fi

# The ids of the windows that have the size that the program is asked for.
window_ids() {
  xwininfo -root -tree 2>/dev/null | awk -v size=" ${width}x${height}[+-]" '/^ *0x/ && $0 ~ size {print $1}' | sort
}

# True when the picture in file $1 has more than one colour, so that it is not taken before the first frame.
has_content() {
  [[ $(identify -format '%k' "$1" 2>/dev/null || echo 0) -gt 16 ]]
}

before=""
[[ $cube == vkcube-wayland ]] || before=$(window_ids)
command=("$tandem" run --stats --stats-json "$out/stats.json" --
  "$cube" --c "$frames" --width "$width" --height "$height")
printf '$ %s\n' "${command[*]}"
# A program that hangs must not hang the demo.
timeout 300 "${command[@]}" >"$out/run.log" 2>&1 &
app_pid=$!

if [[ $cube == vkcube ]]; then
  # The program's window is the one that was not there before.
  while kill -0 "$app_pid" 2>/dev/null; do
    window=$(comm -13 <(printf '%s\n' "$before") <(window_ids) | head -n 1)
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
