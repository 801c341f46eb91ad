// The shells' side of completion: a thin script for each, which hands the words to `toolpool __complete` and the answer to the
// shell. They need nothing but the shell itself (bash 3.2 as on macOS, zsh 5, fish 3), evaluate nothing that was typed, and are
// silent without a toolpool on PATH.

/** The text as it stands here; only `\${` is `${`. */
const script = ({ raw }: TemplateStringsArray): string => raw.join("").replaceAll("\\${", "${");

/**
 * bash cuts words at `=` and `:` too. They are put together again, and what was put in front is taken off the candidates, as bash
 * replaces only the last piece.
 */
const bash = script`# bash completion for toolpool; to use it: source <(toolpool completion bash)
_toolpool() {
  local line=\${COMP_LINE:0:COMP_POINT} word i joined= last= before typed value
  local -a words=()
  COMPREPLY=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $line == [[:space:]]* ]]; then
      words+=("\${joined//[\"\'\\]/}")
      joined=
    fi
    line=\${line#"\${line%%[![:space:]]*}"}
    # The last word ends at the cursor.
    ((i == COMP_CWORD)) && word=$line
    line=\${line#"$word"}
    joined+=$word
    last=$word
  done
  [[ $last == [=:] ]] && last=
  typed=$joined
  before=\${joined%"$last"}
  # An open quote is the shell's own.
  [[ $typed == [\"\']* ]] && typed=\${typed:1} before=\${before#[\"\']}
  while IFS= read -r value; do
    case $value in
      :files | :folders)
        last=\${last#[\"\']}
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
          if [[ $value == :files ]]; then compgen -f -- "$last"; else compgen -d -- "$last"; fi
        )
        compopt -o filenames 2>/dev/null
        return
        ;;
    esac
    value=\${value%%$'\t'*}
    COMPREPLY+=("\${value#"$before"}")
  done < <(toolpool __complete -- "\${words[@]:1}" "$typed" 2>/dev/null </dev/null)
}
complete -F _toolpool toolpool
`;

const zsh = script`#compdef toolpool
# zsh completion for toolpool; to use it: source <(toolpool completion zsh)
_toolpool() {
  local line about
  local -a lines candidates
  lines=("\${(@f)$(toolpool __complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)}")
  case \${lines[1]} in
    :files | :folders)
      # The path behind an option's = is completed alone.
      [[ $PREFIX == -*=* ]] && compset -P '*='
      if [[ \${lines[1]} == :files ]]; then _files; else _files -/; fi
      return
      ;;
  esac
  for line in "\${lines[@]}"; do
    [[ -z $line ]] && continue
    about=\${\${line#*$'\t'}#"$line"}
    candidates+=("\${\${line%%$'\t'*}//:/\\:}\${about:+:$about}")
  done
  (( \${#candidates} )) && _describe toolpool candidates
}
if [[ \${zsh_eval_context[-1]} == loadautofunc ]]; then
  _toolpool "$@"
else
  (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit }
  compdef _toolpool toolpool
fi
`;

const fish = script`# fish completion for toolpool; to use it: toolpool completion fish | source
function __toolpool_complete
    set -l words (commandline -opc)
    set -e words[1]
    # An open quote is the shell's own.
    set -l typed (string replace -r -- '^["\']' '' (commandline -ct))
    set -l before (string match -r -- '^-[^=]*=' $typed)
    set -l path (string replace -r -- '^-[^=]*=' '' $typed)
    for line in (toolpool __complete -- $words "$typed" 2>/dev/null </dev/null)
        switch $line
            case :files
                for found in (__fish_complete_path "$path")
                    echo -- "$before$found"
                end
            case :folders
                for found in (__fish_complete_directories "$path")
                    echo -- "$before$found"
                end
            case '*'
                echo -- $line
        end
    end
end
complete -c toolpool -f -a '(__toolpool_complete)'
`;

export const SCRIPTS: ReadonlyMap<string, string> = new Map([
  ["bash", bash],
  ["zsh", zsh],
  ["fish", fish],
]);
