# Reads the line up to the word at the cursor: sets _ktstr_path, the command (? when
# there is none of that name, ! behind cargo's own words), _ktstr_place, how many
# arguments it has, _ktstr_named, which they are, and _ktstr_options.
function _ktstr_read
	set -l words (commandline -opc)
	set -q _ktstr_words; and test "$words" = "$_ktstr_words"; and return
	set -g _ktstr_words $words
	set -g _ktstr_path ''
	set -g _ktstr_place 0
	set -g _ktstr_options
	set -g _ktstr_named
	set -l program (string replace -r '.*/' '' -- $words[1])
	set -e words[1]
	switch $program
	case cargo
		if test "$words[1]" != ktstr
			set _ktstr_path '!'
			return
		end
		set -e words[1]
	case cargo-ktstr
		# cargo starts its plugins with their name as an extra word.
		test "$words[1]" = ktstr; and set -e words[1]
	end
	set -l plain 0
	while set -q words[1]
		set -l word $words[1]
		set -e words[1]
		if test $plain = 1; or not string match -qr -- '^-.' $word
			_ktstr_pass_word $word; or return
		else if test $word = --
			set plain 1
		else if not _ktstr_pass_option $word
			# The value is a word of its own; without one yet, the cursor is at it.
			if set -q words[1]
				set -e words[1]
			else
				set -e _ktstr_options[-1]
			end
		end
	end
end

# A word that is not an option: a subcommand or an argument.
function _ktstr_pass_word
	if set -l next (_ktstr_descend "$_ktstr_path" $argv[1])
		set -g _ktstr_path $next
	else if test -n "$(_ktstr_commands $_ktstr_path)"
		set -g _ktstr_path '?'
		return 1
	else
		set -g _ktstr_place (math $_ktstr_place + 1)
		set -a _ktstr_named $argv[1]
	end
	return 0
end

# Notes an option, or a cluster of letters. Fails when its value is still to come.
function _ktstr_pass_option
	set -l option (string replace -r '=.*' '' -- $argv[1])
	if string match -q -- '--*' $option
		set -a _ktstr_options $option
		not _ktstr_takes_value "$_ktstr_path" $option; or string match -q -- '*=*' $argv[1]
		return
	end
	set -l letters (string split '' -- (string sub -s 2 -- $argv[1]))
	while set -q letters[1]
		set -l letter -$letters[1]
		set -e letters[1]
		set -a _ktstr_options $letter
		if _ktstr_takes_value "$_ktstr_path" $letter
			set -q letters[1]
			return
		end
	end
	return 0
end

# Whether the cursor is at our words at all: always, unless the command is cargo.
function _ktstr_is_ours
	_ktstr_read
	test "$_ktstr_path" != '!'
end

# _ktstr_at COMMAND [PLACE [on]]: at this command, and at this argument of it.
function _ktstr_at
	_ktstr_read
	test "$_ktstr_path" = "$argv[1]"; or return
	set -q argv[2]; or return 0
	test $_ktstr_place = $argv[2]; and return
	set -q argv[3]; and test $_ktstr_place -gt $argv[2]
end

function _ktstr_has
	for option in $argv
		contains -- $option $_ktstr_options; and return 0
	end
	return 1
end

function _ktstr_subcommands
	_ktstr_commands $_ktstr_path
end

# Follows the arguments so far down the tree of commands.
function _ktstr_any_command
	set -l path ''
	for word in $_ktstr_named
		set path (_ktstr_descend "$path" $word); or return
	end
	_ktstr_commands $path
end

# The part of the word at the cursor that is a value.
function _ktstr_value
	string replace -r '^--?[^=]*=' '' -- (commandline -ct)
end

function _ktstr_directories
	__fish_complete_directories (_ktstr_value) ''
end

# The values behind what a comma-separated list has already.
function _ktstr_list
	set -l before (string replace -r '[^,]*$' '' -- (_ktstr_value))
	set -l taken (string split , -- $before)
	for value in $argv
		contains -- $value $taken; or echo $before$value
	end
end
