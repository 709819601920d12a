# Completes command lines in zsh, after compinit: eval "$(PROGRAM --completion zsh)"
_ordinal() {
  local -a lines
  local kept=${words[CURRENT]%%[\'\"]*}
  lines=("${(@f)$(${(Q)~words[1]} --complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  if [[ -n $kept && $kept != $words[CURRENT] ]]; then # a quote that begins within the word
    compadd -U -Q -S '' -- "${(@)${(@)lines:#*:files}/#$kept/$kept${words[CURRENT][$#kept + 1]}}"
    return
  fi
  compadd -S '' -- ${(M)${lines:#*:files}:#*[=.]}
  compadd -- ${${lines:#*:files}:#*[=.]}
  if [[ -n ${(M)lines:#*:files} ]]; then
    compset -P '--*='
    _files
  fi
}
compdef _ordinal PROGRAM
compdef -p _ordinal '(*/|)experiments/run'
