# shellcheck shell=bash
# An X server without a screen, and the windows on a display. Sourced by the scripts that show something.

# start_virtual_display FOLDER WIDTHxHEIGHT: starts Xvfb and exports its DISPLAY; its process is in xvfb_pid, its log in FOLDER.
start_virtual_display() {
  # Xvfb takes the first free number itself and tells it on descriptor 3.
  Xvfb -displayfd 3 -noreset -screen 0 "$2x24" -nolisten tcp 3>"$1/display" >"$1/xvfb.log" 2>&1 &
  xvfb_pid=$!
  for _ in $(seq 100); do
    [[ -s $1/display ]] && break
    kill -0 "$xvfb_pid" 2>/dev/null || break
    sleep 0.1
  done
  [[ -s $1/display ]] || { echo "Xvfb did not start: $(tail -n 1 "$1/xvfb.log")" >&2; return 1; }
  DISPLAY=":$(<"$1/display")"
  export DISPLAY
  unset WAYLAND_DISPLAY
}

# window_ids WIDTHxHEIGHT: the ids of the windows of this size, sorted, one a line.
window_ids() {
  xwininfo -root -tree 2>/dev/null | awk -v size=" $1[+-]" '/^ *0x/ && $0 ~ size {print $1}' | sort
}
