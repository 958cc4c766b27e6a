# shellcheck shell=bash disable=SC2154

# What completed cargo before us, in the words of `complete -p`; - is nothing.
case $(complete -p cargo 2>/dev/null) in
*' _ktstr_cargo '*) ;;
*) _ktstr_before=$(complete -p cargo 2>/dev/null) ;;
esac

# Lets the bash-completion package bring what it has for cargo.
_ktstr_load() {
	local loader

	complete -r cargo
	for loader in _comp_load _completion_loader; do
		declare -F "$loader" >/dev/null || continue
		"$loader" cargo >/dev/null 2>&1
		break
	done
	_ktstr_before=$(complete -p cargo 2>/dev/null) || _ktstr_before=-
	complete -F _ktstr_cargo cargo
}

# Completes as if we were not there.
_ktstr_fall_back() {
	local before=${_ktstr_before#complete} word is_option=''

	for word in $before; do
		[[ -z $is_option ]] || compopt -o "$word"
		[[ $word == -o ]] && is_option=1 || is_option=''
	done
	if [[ $before =~ ' -F '([^ ]+) ]]; then
		"${BASH_REMATCH[1]}" "$@"
	elif [[ $before == - ]]; then
		compopt -o bashdefault -o default
	else
		mapfile -t COMPREPLY < <(eval "compgen ${before% *} -- \"\$2\"")
	fi
}

_ktstr_cargo() {
	local rc

	if ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[1]} == ktstr ]]; then
		_ktstr_complete 2
		return
	fi
	COMPREPLY=()
	[[ -n $_ktstr_before ]] || _ktstr_load
	_ktstr_fall_back "$@"
	rc=$?
	((COMP_CWORD != 1)) || [[ ktstr != "$2"* ]] || COMPREPLY+=(ktstr)
	return $rc
}

complete -F _ktstr_cargo cargo
