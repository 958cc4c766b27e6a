# shellcheck shell=bash disable=SC2034,SC2154

# Sets words, the line up to the cursor in words split at blanks only, and lead,
# the part of the last one that readline keeps: bash itself cuts at = and : too.
_ktstr_split() {
	local rest=${COMP_LINE:0:COMP_POINT} piece glue i

	words=() piece=
	for ((i = 0; i <= COMP_CWORD; i++)); do
		glue=$rest
		rest=${rest#"${rest%%[![:blank:]]*}"}
		piece=${COMP_WORDS[i]}
		((i < COMP_CWORD)) || piece=$rest
		if ((i > 0)) && [[ $glue == "$rest" ]]; then
			words[${#words[@]} - 1]+=$piece
		else
			words+=("$piece")
		fi
		rest=${rest#"$piece"}
	done
	[[ $piece == *[!=:]* ]] || piece=
	lead=${words[${#words[@]} - 1]}
	lead=${lead%"$piece"}
}

# Reads a row: how often it may be given, what its value is, its names, values.
_ktstr_row() {
	read -r times kind names values <<<"$1"
}

# Finds the option called $1 among those of the command.
_ktstr_option() {
	local row

	for row in "${options[@]}"; do
		_ktstr_row "$row"
		case ,${names//!/}, in *",$1,"*) return ;; esac
	done
	times='' kind='' names='' values=''
	return 1
}

# Finds the option that takes its value from the word after $1, a cluster of letters.
_ktstr_letters() {
	local letters=${1#-}

	while [[ -n $letters ]]; do
		_ktstr_option "-${letters:0:1}" || return
		given+=$names,
		letters=${letters:1}
		[[ $kind == none ]] && continue
		[[ -z $letters ]]
		return
	done
	return 1
}

# Goes down to the subcommand $1.
_ktstr_descend() {
	local row

	for row in "${commands[@]}"; do
		case ,$row, in
		*",$1,"*)
			path+=${path:+ }${row%%,*}
			_ktstr_table "$path"
			return
			;;
		esac
	done
	return 1
}

# Offers those of the words $2... that begin with $1.
_ktstr_offer() {
	local start=$1 word

	shift
	for word; do
		[[ $word != "$start"* ]] || COMPREPLY+=("${word#"$lead"}")
	done
}

# Offers files or directories: readline does it best, quotes and all.
_ktstr_paths() {
	local file

	if [[ $lead == "$1"* ]]; then
		compopt -o "$3"
		return
	fi
	compopt -o filenames
	while IFS= read -r file; do
		COMPREPLY+=("$1$file")
	done < <(compgen "$4" -- "$2")
}

# Offers the values of a kind for the word $2 behind the text $1.
_ktstr_values() {
	local word=${2#[\"\']} before row all=()

	case $kind in
	file) _ktstr_paths "$1" "$word" default -f ;;
	dir) _ktstr_paths "$1" "$word" dirnames -d ;;
	one)
		for row in $values; do all+=("$1$row"); done
		_ktstr_offer "$1$word" "${all[@]}"
		;;
	list)
		before=${word%"${word##*,}"}
		for row in $values; do
			[[ ,$before == *",$row,"* ]] || all+=("$1$before$row")
		done
		compopt -o nospace
		_ktstr_offer "$1$word" "${all[@]}"
		;;
	command)
		path=''
		_ktstr_table ''
		for row in "${asked[@]}"; do _ktstr_descend "$row" || return; done
		_ktstr_commands "$word"
		;;
	esac
}

_ktstr_commands() {
	local names

	for names in "${commands[@]}"; do
		# shellcheck disable=SC2086
		_ktstr_offer "$1" ${names//,/ }
	done
}

_ktstr_options() {
	local row name

	for row in "${options[@]}"; do
		_ktstr_row "$row"
		[[ $times == 1 && $given == *",${names%%,*},"* ]] && continue
		for name in ${names//,/ }; do
			[[ $name == !* ]] || _ktstr_offer "$1" "$name"
		done
	done
}

# Completes the line, of which $1 words come before ours.
_ktstr_complete() {
	local IFS=$' \t\n' words=() lead='' word='' path='' given=, plain='' asked=()
	local commands=() options=() arguments=() times='' kind='' names='' values='' i last

	COMPREPLY=()
	_ktstr_split
	_ktstr_table ''
	last=$((${#words[@]} - 1)) i=$1
	# cargo starts its plugins with their name as an extra word.
	[[ ${words[0]##*/} != cargo-ktstr || ${words[1]} != ktstr ]] || ((last < 2)) || i=2
	for (( ; i < last; i++)); do
		word=${words[i]}
		kind=none
		if [[ $word == *([0-9\&])[\<\>]* ]]; then
			[[ $word != *[\<\>] ]] || ((i++))
			kind='file'
		elif [[ -n $plain || $word != -?* ]]; then
			if ((${#commands[@]} > 0)); then
				_ktstr_descend "$word" || return 0
			else
				asked+=("$word")
			fi
		elif [[ $word == -- ]]; then
			plain=1
		elif [[ $word == --* ]]; then
			_ktstr_option "${word%%=*}" && given+=$names,
			[[ $word == *=* || $kind == none || -z $kind ]] || ((i++))
		elif _ktstr_letters "$word"; then
			((i++))
		fi
	done
	word=${words[last]}
	if ((i > last)); then
		_ktstr_values '' "$word"
	elif [[ $word == *([0-9\&])[\<\>]* ]]; then
		compopt -o default
	elif [[ -z $plain && $word == --*=* ]]; then
		_ktstr_option "${word%%=*}" && _ktstr_values "${word%%=*}=" "${word#*=}"
	elif [[ -z $plain && $word == -* ]]; then
		_ktstr_options "$word"
	elif ((${#commands[@]} > 0)); then
		_ktstr_commands "$word"
	else
		_ktstr_argument "$word"
	fi
	return 0
}

# Offers the values of the argument that comes next.
_ktstr_argument() {
	local row passed=0

	for row in "${arguments[@]}"; do
		_ktstr_row "$row"
		if [[ $times == '*' ]] || ((passed++ == ${#asked[@]})); then
			_ktstr_values '' "$1"
			return
		fi
	done
}
