# Completion of tandem(1) for bash.

_tandem_selectors() {
  tandem adapters --json 2>/dev/null | sed -n 's/^ *"index": *\([0-9]*\),*$/\1/p; s/^ *"pci_address": *"\(.*\)",*$/\1/p'
}

_tandem() {
  local cur prev words cword
  _init_completion -n : || return

  local i
  for ((i = 1; i < cword; i++)); do
    if [[ ${words[i]} == -- ]]; then
      _command_offset $((i + 1))
      return
    fi
  done

  case $prev in
    --render | --display | --adapter) mapfile -t COMPREPLY < <(compgen -W "$(_tandem_selectors)" -- "$cur"); return ;;
    --output) mapfile -t COMPREPLY < <(compgen -W 'auto window headless png: y4m: raw:' -- "$cur"); return ;;
    --path) mapfile -t COMPREPLY < <(compgen -W 'auto direct one-copy two-copy cpu' -- "$cur"); return ;;
    --present-mode) mapfile -t COMPREPLY < <(compgen -W 'fifo fifo-relaxed mailbox immediate' -- "$cur"); return ;;
    --stats-json | --driver | --junit) _filedir; return ;;
  esac

  case ${words[1]} in
    run) mapfile -t COMPREPLY < <(compgen -W '--render --display --output --path --present-mode --stats --stats-json --help --' -- "$cur") ;;
    adapters) mapfile -t COMPREPLY < <(compgen -W '--json --help' -- "$cur") ;;
    conform) mapfile -t COMPREPLY < <(compgen -W '--adapter --driver --filter --limit --list --json --junit --help' -- "$cur") ;;
    *) mapfile -t COMPREPLY < <(compgen -W 'run adapters conform --help --version' -- "$cur") ;;
  esac
}

complete -F _tandem tandem
