#!/usr/bin/env bash
# Configures a preset and builds targets of it. See --help.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: scripts/build_preset.sh [--help] PRESET [-DNAME=VALUE...] TARGET...

Configures PRESET of CMakePresets.json with the definitions, and builds the targets in build/PRESET, as many at once as there are
processors or CMAKE_BUILD_PARALLEL_LEVEL says.
TEXT
}

[[ ${1:-} != --help && ${1:-} != -h ]] || { usage; exit 0; }
[[ $# -ge 2 ]] || { usage >&2; exit 2; }
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1
shift
definitions=()
while [[ ${1:-} == -D* ]]; do
  definitions+=("$1")
  shift
done
cmake --preset "$preset" "${definitions[@]}"
# In huge pages, which the C library can ask for, clang takes a seventh less time.
GLIBC_TUNABLES=glibc.malloc.hugetlb=1 exec cmake --build --preset "$preset" \
  --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" --target "$@"
