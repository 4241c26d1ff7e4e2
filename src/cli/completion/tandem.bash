# Completion of tandem(1) for bash.

_tandem_selectors() {
  tandem adapters --json 2>/dev/null | sed -n 's/^ *"index": *\([0-9]*\),*$/\1/p; s/^ *"pci_address": *"\(.*\)",*$/\1/p'
}

_tandem_features() {
  tandem features list 2>/dev/null | awk 'NR > 1 {print $2}'
}

_tandem_rules() {
  tandem conform --adapter soft --list --json 2>/dev/null | sed -n 's/^ *"rule": *"\(.*\)",*$/\1/p'
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
    --path) mapfile -t COMPREPLY < <(compgen -W 'auto direct one-copy two-copy cpu compressed' -- "$cur"); return ;;
    --buffers) mapfile -t COMPREPLY < <(compgen -W 'auto 2,3,2 3,3,3' -- "$cur"); return ;;
    --present-mode) mapfile -t COMPREPLY < <(compgen -W 'fifo fifo-relaxed mailbox immediate' -- "$cur"); return ;;
    --encode) mapfile -t COMPREPLY < <(compgen -W 'auto off plain packed lossless 420 420-tiles bc1 lossless,420-tiles no-420,no-420-tiles no-bc1' -- "$cur"); return ;;
    --content) mapfile -t COMPREPLY < <(compgen -W 'auto game desktop' -- "$cur"); return ;;
    --frame-bytes) mapfile -t COMPREPLY < <(compgen -W 'off 500kB 1MB 2MB' -- "$cur"); return ;;
    --link-limit) mapfile -t COMPREPLY < <(compgen -W 'off 250MB/s 1GB/s 2.5GB/s' -- "$cur"); return ;;
    --yuv) mapfile -t COMPREPLY < <(compgen -W 'bt709 bt601 bt2020 bt709,limited bt601,limited bt2020,limited bilinear' -- "$cur"); return ;;
    --scan-out-nv12 | --dither) mapfile -t COMPREPLY < <(compgen -W 'on off' -- "$cur"); return ;;
    --debug) mapfile -t COMPREPLY < <(compgen -W "$(_tandem_rules)" -- "$cur"); return ;;
    --pictures) _filedir -d; return ;;
    --stats-json | --frame-log | --driver | --junit) _filedir; return ;;
  esac

  case ${words[1]} in
    run) mapfile -t COMPREPLY < <(compgen -W '--render --display --output --path --buffers --present-mode --encode --content --frame-bytes --link-limit --scan-out-nv12 --yuv --dither --stats --stats-json --frame-log --help --' -- "$cur") ;;
    status) mapfile -t COMPREPLY < <(compgen -W '--watch --json --help' -- "$cur") ;;
    adapters) mapfile -t COMPREPLY < <(compgen -W '--links --json --help' -- "$cur") ;;
    encodings) if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--pictures --json --help' -- "$cur"); else _filedir png; fi ;;
    bench) if ((cword == 2)); then mapfile -t COMPREPLY < <(compgen -W 'link --help' -- "$cur"); else mapfile -t COMPREPLY < <(compgen -W '--seconds --quick --filter --json --help' -- "$cur"); fi ;;
    conform) mapfile -t COMPREPLY < <(compgen -W '--adapter --driver --filter --limit --jobs --repeat --seed --debug --trace --verbose --list --json --junit --help' -- "$cur") ;;
    features)
      case ${words[2]} in
        list | config | state) mapfile -t COMPREPLY < <(compgen -W '--adapter --json --help' -- "$cur") ;;
        set | unset)
          if ((cword == 3)); then
            mapfile -t COMPREPLY < <(compgen -W "$(_tandem_features)" -- "$cur")
          elif [[ ${words[2]} == set ]]; then
            compopt -o nospace
            mapfile -t COMPREPLY < <(compgen -W 'enabled= min_version= max_version= allow_experimental= --adapter --json' -- "$cur")
          else
            mapfile -t COMPREPLY < <(compgen -W 'enabled min_version max_version allow_experimental --adapter --json' -- "$cur")
          fi
          ;;
        *) mapfile -t COMPREPLY < <(compgen -W 'list config state set unset --help' -- "$cur") ;;
      esac
      ;;
    *) mapfile -t COMPREPLY < <(compgen -W 'run status adapters encodings bench conform features help --help --version' -- "$cur") ;;
  esac
}

complete -F _tandem tandem
