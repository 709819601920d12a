# Completes command lines in bash: eval "$(PROGRAM --completion bash)"
_ordinal() {
  local rest=${COMP_LINE:0:COMP_POINT} words=() blanks piece kept line i
  # Bash also splits words at = and : and the like. Pieces that touch belong together.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    blanks=${rest%%[!$' \t']*}
    rest=${rest#"$blanks"}
    piece=$rest
    if ((i < COMP_CWORD)); then piece=${COMP_WORDS[i]}; fi
    rest=${rest#"$piece"}
    if ((i > 0)) && [[ -z $blanks ]]; then words[-1]+=$piece; else words+=("$piece"); fi
  done
  words=("${words[@]//[\'\"\\]/}")
  piece=${2//[\'\"\\]/}
  kept=${words[-1]%"$piece"} # stands before what bash replaces
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == *:files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$piece")
    else
      COMPREPLY+=("${line#"$kept"}")
    fi
  done < <("${words[0]/#\~/$HOME}" --complete "${words[@]:1}" 2>/dev/null)
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=.] ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F _ordinal PROGRAM experiments/run ./experiments/run
