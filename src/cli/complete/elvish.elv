# The option of that name, or $nil.
fn _ktstr-option {|command name|
	for option $command[options] {
		if (or (has-value $option[names] $name) (has-value $option[hidden] $name)) {
			put $option
			return
		}
	}
	put $nil
}

# The path of the subcommand of that name, or $nil.
fn _ktstr-descend {|path name|
	for command $_ktstr-table[$path][commands] {
		if (has-value $command[names] $name) {
			str:trim-left $path' '$command[names][0] ' '
			return
		}
	}
	put $nil
}

fn _ktstr-described {|names help|
	for name $names {
		edit:complex-candidate $name &display=$name' ('$help')'
	}
}

fn _ktstr-commands {|path|
	for command $_ktstr-table[$path][commands] {
		_ktstr-described $command[names] $command[help]
	}
}

# Options that were given and may be given once only are not offered again.
fn _ktstr-options {|path given|
	for option $_ktstr-table[$path][options] {
		if (or $option[many] (not (has-value $given $option[names][0]))) {
			_ktstr-described $option[names] $option[help]
		}
	}
}

# Files, or directories only, behind a text such as --output=.
fn _ktstr-files {|before word only-dirs|
	edit:complete-filename $word | each {|file|
		if (or (not $only-dirs) (str:has-suffix $file[stem] /)) {
			edit:complex-candidate $before$file[stem] ^
				&code-suffix=$file[code-suffix] &display=$file[stem]
		}
	}
}

# What a comma-separated list may go on with.
fn _ktstr-list {|before word values|
	var taken = [(str:split , $word)][..-1]
	var start = $before
	for value $taken {
		set start = $start$value,
	}
	for value $values {
		if (not (has-value $taken $value)) {
			edit:complex-candidate $start$value &display=$value
		}
	}
}

fn _ktstr-any-command {|names|
	var path = ''
	for name $names {
		set path = (_ktstr-descend $path $name)
		if (eq $path $nil) {
			return
		}
	}
	_ktstr-commands $path
}

fn _ktstr-values {|param before word named|
	var kind = $param[kind]
	if (eq $kind file) {
		_ktstr-files $before $word $false
	} elif (eq $kind dir) {
		_ktstr-files $before $word $true
	} elif (eq $kind one) {
		for value $param[values] {
			edit:complex-candidate $before$value &display=$value
		}
	} elif (eq $kind list) {
		_ktstr-list $before $word $param[values]
	} elif (eq $kind command) {
		_ktstr-any-command $named
	}
}

# The argument that comes next, after as many.
fn _ktstr-argument {|path named word|
	var place = (count $named)
	for argument $_ktstr-table[$path][arguments] {
		if (or $argument[many] (== $place 0)) {
			_ktstr-values $argument '' $word $named
			return
		}
		set place = (- $place 1)
	}
}

# The known options in a word: one, or a cluster of letters that ends with a value.
fn _ktstr-options-in {|path word|
	var names = [[(str:split &max=2 = $word)][0]]
	if (not (str:has-prefix $word --)) {
		set names = [(str:split '' $word[1..] | each {|letter| put -$letter })]
	}
	for name $names {
		var option = (_ktstr-option $_ktstr-table[$path] $name)
		if (eq $option $nil) {
			return
		}
		put $option
		if (not-eq $option[kind] none) {
			return
		}
	}
}

# The option whose value is the word after this one, or $nil.
fn _ktstr-pending {|word options|
	var option = $nil
	if (> (count $options) 0) {
		set option = $options[-1]
	}
	if (or (eq $option $nil) (eq $option[kind] none)) {
		put $nil
	} elif (str:has-prefix $word --) {
		if (str:contains $word =) { put $nil } else { put $option }
	} else {
		if (== (count $options) (- (count $word) 1)) { put $option } else { put $nil }
	}
}

# Completes the last of the words; the first is the program.
fn _ktstr-complete {|words|
	var rest = $words[1..-1]
	var word = $words[-1]
	# cargo starts its plugins with their name as an extra word.
	if (and (str:has-suffix $words[0] cargo-ktstr) (> (count $rest) 0) (eq $rest[0] ktstr)) {
		set rest = $rest[1..]
	}
	var path = ''
	var given named = [] []
	var plain pending = $false $nil
	for passed $rest {
		if (not-eq $pending $nil) {
			set pending = $nil
		} elif (or $plain (not (str:has-prefix $passed -)) (eq $passed -)) {
			if (eq $_ktstr-table[$path][commands] []) {
				set named = [$@named $passed]
			} else {
				set path = (_ktstr-descend $path $passed)
				if (eq $path $nil) {
					return
				}
			}
		} elif (eq $passed --) {
			set plain = $true
		} else {
			var options = [(_ktstr-options-in $path $passed)]
			set given = [$@given (each {|option| put $option[names][0] } $options)]
			set pending = (_ktstr-pending $passed $options)
		}
	}
	if (not-eq $pending $nil) {
		_ktstr-values $pending '' $word $named
	} elif (and (not $plain) (str:has-prefix $word --) (str:contains $word =)) {
		var name value = (str:split &max=2 = $word)
		var option = (_ktstr-option $_ktstr-table[$path] $name)
		if (not-eq $option $nil) {
			_ktstr-values $option $name= $value $named
		}
	} elif (and (not $plain) (str:has-prefix $word -)) {
		_ktstr-options $path $given
	} elif (eq $_ktstr-table[$path][commands] []) {
		_ktstr-argument $path $named $word
	} else {
		_ktstr-commands $path
	}
}

# Completes `cargo ktstr`; anything else goes to what completed cargo before.
fn _ktstr-behind-cargo {
	var before = {|@words| edit:complete-filename $words[-1] }
	if (has-key $edit:completion:arg-completer cargo) {
		set before = $edit:completion:arg-completer[cargo]
	}
	put {|@words|
		if (and (> (count $words) 2) (eq $words[1] ktstr)) {
			_ktstr-complete $words[1..]
		} else {
			$before $@words
			if (== (count $words) 2) {
				put ktstr
			}
		}
	}
}
