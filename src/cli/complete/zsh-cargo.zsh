
# The completion that comes with cargo asks a plugin's function of this name.
_cargo-ktstr() {
	_ktstr "$@"
}

# Completes `cargo ktstr`; anything else goes to what completed cargo before.
_ktstr-cargo() {
	local expl ret=1

	if [[ $words[2] == ktstr ]] && (( CURRENT > 2 )); then
		shift words
		(( CURRENT-- ))
		_ktstr
		return
	fi
	eval "${_ktstr_before:-_default}" && ret=0
	(( CURRENT != 2 )) || _wanted commands expl command compadd ktstr && ret=0
	return ret
}

if [[ $zsh_eval_context[-1] == (loadautofunc|shfunc) ]]; then
	_cargo-ktstr "$@"
elif (( $+functions[compdef] )); then
	[[ $_comps[cargo] == _ktstr-cargo ]] || typeset -g _ktstr_before=$_comps[cargo]
	compdef _cargo-ktstr cargo-ktstr
	compdef _ktstr-cargo cargo
fi
