#!/usr/bin/env bash
# The form of what is in the tree: scripts/check_style.sh code|scripts|words|subjects|tidy. Prints what is wrong; 0 when nothing is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage='usage: scripts/check_style.sh code|scripts|words|subjects|tidy|--help
  code      clang-format would change nothing
  scripts   shellcheck has nothing to say of the shell scripts
  words     no file has a word that the glossary of docs/style.md replaces
  subjects  each commit since this check exists: "module: Imperative summary" in at most 72 characters
  tidy      clang-tidy has nothing to say of the source files that changed since TANDEM_STYLE_BASE (default HEAD~1), each compiled
            alone as build/release compiles it'

# Files of the tree whose name matches a pattern of find's -name, each ended by a null byte. A tree without history is read from disk.
tree_files() {
  if git rev-parse --verify --quiet HEAD >/dev/null 2>&1; then
    git ls-files -z -- "$1"
  else
    find . \( -name build -o -name .git \) -prune -o -type f -name "$1" -print0
  fi
}

code() {
  { tree_files '*.cpp' && tree_files '*.h'; } | xargs -0 -n 100 clang-format --dry-run -Werror
}

scripts() {
  local -a shell
  mapfile -t shell < <(tree_files '*' | xargs -0 grep -lIm1 --include='*' '^#!/usr/bin/env bash' -- | grep -v '\.md$')
  shellcheck --external-sources "${shell[@]}"
}

words() {
  local replaced='scouts?|wish(es)?|rungs?|ladders?|patience|lent|painters?|films?|hand-?(over|back)s?|coproc|AdapterUnit'
  if tree_files '*' | grep -zvE '^(\./)?(docs/style\.md|scripts/check_style\.sh|\.git-blame-ignore-revs)$' | xargs -0 grep -HInwiE "$replaced" --; then
    return 1
  fi
}

subjects() {
  local subject bad=0 first
  if ! git rev-parse --verify --quiet HEAD >/dev/null 2>&1; then
    echo "There is no history here, so no subject is read."
    return 0
  fi
  first=$(git log --diff-filter=A --format=%H -- scripts/check_style.sh | tail -n 1)
  while IFS= read -r subject; do
    if [[ ${#subject} -gt 72 ]]; then
      echo "${#subject} characters, 72 are allowed: $subject"
      bad=1
    elif [[ ! $subject =~ ^[a-z0-9_/,\ .-]+:\ [A-Z0-9\"] ]]; then
      echo "Not \"module: Imperative summary\": $subject"
      bad=1
    fi
  done < <(git log --no-merges --format=%s "${first:+$first^..}HEAD")
  return "$bad"
}

tidy() {
  local said
  [[ -f build/release/compile_commands.json ]] || { echo "build/release is not there; ./check builds it." >&2; return 1; }
  scripts/apart_commands.py build/release build/apart
  said=$(git diff -U0 "${TANDEM_STYLE_BASE:-HEAD~1}" -- 'src/*.cpp' |
    clang-tidy-diff -p1 -path build/apart -quiet -j "$(nproc)" 2>&1)
  ! grep -E '(warning|error):' <<<"$said"
}

case "${1:-}" in
  code | scripts | words | subjects | tidy) "$1" ;;
  --help | -h) printf '%s\n' "$usage" ;;
  *) printf '%s\n' "$usage" >&2; exit 2 ;;
esac
