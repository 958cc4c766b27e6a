# SPDX-License-Identifier: GPL-2.0-only
# The reader and writer of scripts/man-api. A header is read line by line: comments are kept,
# code is cut at { } ; and, in enums, at commas. What a line declares is described at its end,
# when the comment behind it is known.

# ---- text ----

function trim(s)
{
	gsub(/^[ \t]+|[ \t]+$/, "", s)
	return s
}

function roff(s)
{
	gsub(/\\/, "\\e", s)
	gsub(/-/, "\\-", s)
	return s
}

# One line of input for each 76 columns or so, `code` in bold.
function fill(s,	words, count, i, line, out)
{
	while (match(s, /`[^`]*`/))
		s = substr(s, 1, RSTART - 1) "\001" substr(s, RSTART + 1, RLENGTH - 2) "\002" \
			substr(s, RSTART + RLENGTH)
	s = roff(s)
	gsub(/\001/, "\\fB", s)
	gsub(/\002/, "\\fR", s)
	count = split(s, words, " ")
	for (i = 1; i <= count; i++) {
		if (line != "" && length(line) + length(words[i]) > 75) {
			out = out line "\n"
			line = ""
		}
		# A line must not begin with a character that starts a roff request.
		if (line == "" && words[i] ~ /^[.']/)
			words[i] = "\\&" words[i]
		line = line (line == "" ? "" : " ") words[i]
	}
	return out line "\n"
}

function sentence(s)
{
	s = trim(s)
	if (s ~ /^[a-z]+([ ,:;]|$)/)
		s = toupper(substr(s, 1, 1)) substr(s, 2)
	return s ~ /[.:!?]$/ ? s : s "."
}

# A prototype in lines that fit on a screen.
function wrap(s,	out, at)
{
	while (length(s) > 72) {
		for (at = 72; at > 20 && substr(s, at, 2) != ", " && substr(s, at, 1) != "("; at--)
			;
		if (at <= 20)
			break
		out = out ".B \"" roff(substr(s, 1, at)) "\"\n"
		s = "        " trim(substr(s, at + 1))
	}
	return out ".B \"" roff(s) "\"\n"
}

function fault(line, what)
{
	printf "%s:%d: %s\n", FILENAME, line, what > "/dev/stderr"
	faults++
}

# ---- pages ----

function body(s)
{
	if (!page)
		return
	text[page] = text[page] s
}

function new_page(title,	name)
{
	name = title
	sub(/[:;].*/, "", name)
	gsub(/[^A-Za-z0-9]+/, "_", name)
	sub(/^[^:;]*[:;] */, "", title)
	if (name in known)
		fault(FNR, "there are two sections " name)
	known[name] = 1
	page = ++pages
	names[page] = name
	titles[page] = title
	header[page] = FILENAME
	sub(/.*include\//, "", header[page])
}

# Names that follow each other and have the same sentence share it.
function entry(tag, doc,	at)
{
	tag = ".B \"" roff(tag) "\"\n"
	doc = fill(sentence(doc))
	at = length(text[page]) - length(doc)
	if (doc == last_doc && substr(text[page], at + 1) == doc)
		text[page] = substr(text[page], 1, at) ".TQ\n" tag doc
	else
		body(".TP\n" tag doc)
	last_doc = doc
}

function without_names(doc)
{
	sub(/@[A-Za-z_0-9]+\*?:.*/, "", doc)
	return trim(doc)
}

# The sentence of a name in the comment of the enclosing declaration.
function by_name(name, doc,	at)
{
	at = index(doc, "@" name ":")
	if (at)
		return without_names(substr(doc, at + length(name) + 2))
	if (match(doc, /@[A-Z_0-9]+\*:/) && index(name, substr(doc, RSTART + 1, RLENGTH - 3)) == 1)
		return without_names(substr(doc, RSTART + RLENGTH))
	return ""
}

# ---- what a line declares ----

function declare(kind, name_list, tag)
{
	if (name_list ~ /_$/ || name_list ~ /_H$/)
		return
	count++
	kinds[count] = kind
	name_lists[count] = name_list
	tags[count] = tag
}

function in_enclosing(name,	level, found)
{
	for (level = depth; level > 0; level--) {
		found = by_name(name, scope_doc[level])
		if (found != "")
			return found
	}
	return ""
}

# All names of a declaration have their own sentence, or they share one.
function describe_each(i, doc,	list, n, k, own)
{
	n = split(name_lists[i], list, " ")
	if (doc !~ /@[a-z_0-9]+:/)
		return 0
	body(".PP\n" fill(sentence(without_names(doc))))
	for (k = 1; k <= n; k++) {
		own = by_name(list[k], doc)
		if (own == "")
			fault(begin, list[k] " has no sentence")
		entry(list[k], own)
	}
	return 1
}

function describe(i, before, behind,	doc)
{
	doc = behind != "" ? behind : before
	if (behind != "" && before != "")
		body(".PP\n" fill(sentence(before)))
	if (kinds[i] == "object" && describe_each(i, doc))
		return
	if (doc == "")
		doc = in_enclosing(name_lists[i])
	if (without_names(doc) == "")
		fault(begin, name_lists[i] " has no sentence")
	entry(tags[i], without_names(doc))
	if (kinds[i] == "scope")
		body(".RS\n")
}

# At the end of a line.
function settle(	i)
{
	if (!count)
		return
	if (!page)
		fault(begin, name_lists[1] " is in no section")
	for (i = 1; i <= count; i++) {
		if (kinds[i] == "enumerator" && count > 1)
			describe(i, "", "")
		else
			describe(i, pending, behind)
	}
	count = 0
	pending = behind = ""
}

function last_word(s)
{
	sub(/\[.*/, "", s)
	s = trim(s)
	sub(/.*[^A-Za-z_0-9]/, "", s)
	return s
}

function declarators(s,	list, n, i, out)
{
	n = split(s, list, ",")
	for (i = 1; i <= n; i++)
		out = out (i > 1 ? " " : "") last_word(list[i])
	return out
}

function synopsis_of(s)
{
	if (page)
		synopsis[page] = synopsis[page] wrap(s ";")
}

function statement(s,	name)
{
	gsub(/ *__attribute__\(\(.*\)\)/, "", s)
	s = trim(s)
	gsub(/[ \t]+/, " ", s)
	if (depth) {
		declare("member", declarators(s), s)
	} else if (s ~ /\(/) {
		name = s
		sub(/\(.*/, "", name)
		name = last_word(name)
		synopsis_of(s)
		declare("function", name, name "()")
	} else if (s ~ /^struct [a-z_0-9]+$/) {
		synopsis_of(s)
		declare("struct", last_word(s), s)
	} else if (s != "") {
		synopsis_of(s)
		declare("object", declarators(s), s)
	}
}

function open_scope(head)
{
	head = trim(head)
	depth++
	scope[depth] = head
	scope_doc[depth] = pending
	if (depth == 1 && head ~ / /) {
		synopsis_of(head)
		declare("scope", last_word(head), head)
	} else {
		pending = ""
	}
}

function enumerator(s)
{
	s = trim(s)
	if (s != "")
		declare("enumerator", last_word(substr(s, 1, match(s " ", /[ =]/) - 1)), s)
}

function close_scope(rest)
{
	if (scope[depth] ~ /^enum/)
		enumerator(rest)
	settle()
	closed = scope[depth]
	closed_doc = scope_doc[depth]
	depth--
	if (!depth)
		body(".RE\n")
}

# What follows a '}': nothing, or the name of a member.
function end_statement(s)
{
	if (closed == "") {
		statement(s)
		return
	}
	s = trim(s)
	if (s != "") {
		pending = closed_doc
		declare("member", s, closed " " s)
	}
	closed = ""
}

function code(s,	i, c)
{
	if (trim(buffer) == "")
		begin = FNR
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		if (c == "(")
			parens++
		if (c == ")")
			parens--
		if (c == "{" && !parens) {
			open_scope(buffer)
			buffer = ""
		} else if (c == "}" && !parens) {
			close_scope(buffer)
			buffer = ""
		} else if (c == ";" && !parens) {
			end_statement(buffer)
			buffer = ""
		} else if (c == "," && !parens && depth && scope[depth] ~ /^enum/) {
			enumerator(buffer)
			buffer = ""
		} else {
			buffer = buffer c
		}
	}
	buffer = buffer " "
}

# ---- comments and the preprocessor ----

function strip(s)
{
	s = trim(s)
	sub(/^\/\*/, "", s)
	sub(/\*\/$/, "", s)
	sub(/^\*( |$)/, "", s)
	return trim(s)
}

function flush_comment()
{
	if (pending != "" && page)
		body(".PP\n" fill(sentence(pending)))
	pending = ""
}

function end_comment(s)
{
	if (s ~ /^---- .* ----$/) {
		gsub(/^---- | ----$/, "", s)
		new_page(s)
		pending = ""
		return
	}
	flush_comment()
	pending = s
}

# Uses the branch of #if, not that of #else; for __cplusplus the other way round.
function conditional(s)
{
	if (s ~ /^#if/) {
		levels++
		was_off[levels] = off
		off = off || s ~ /__cplusplus/
	} else if (s ~ /^#else/) {
		off = was_off[levels] || !off
	} else {
		off = was_off[levels--]
	}
}

function macro(s,	name, tag)
{
	sub(/^#define[ \t]+/, "", s)
	name = s
	sub(/[^A-Za-z_0-9].*/, "", name)
	tag = name
	if (substr(s, length(name) + 1, 1) == "(")
		tag = substr(s, 1, index(s, ")"))
	declare("macro", name, tag)
	if (count && page)
		synopsis[page] = synopsis[page] wrap("#define " tag)
}

FNR == 1 {
	page = depth = parens = 0
	buffer = pending = closed = ""
}

in_comment {
	comment = comment " " strip($0)
	if (/\*\/[ \t]*$/) {
		in_comment = 0
		end_comment(trim(comment))
	}
	next
}

in_macro {
	in_macro = /\\$/
	next
}

/^#(if|else|endif)/ {
	conditional($0)
	next
}

off { next }

/^[ \t]*\/\*/ {
	if (/\*\/[ \t]*$/) {
		end_comment(strip($0))
	} else {
		comment = strip($0)
		in_comment = 1
	}
	next
}

/^[ \t]*$/ {
	if (!depth)
		flush_comment()
	next
}

/^#/ {
	in_macro = /\\$/
	if (/^#define/) {
		begin = FNR
		if (match($0, /[ \t]\/\*.*\*\/$/))
			behind = strip(substr($0, RSTART))
		macro($0)
		settle()
		behind = ""
	}
	next
}

{
	line = $0
	if (match(line, /\/\*.*\*\//)) {
		behind = trim(behind " " strip(substr(line, RSTART, RLENGTH)))
		line = substr(line, 1, RSTART - 1) substr(line, RSTART + RLENGTH)
	}
	code(line)
	settle()
}

# ---- writing ----

function example_of(name,	file, line, out, status)
{
	file = examples "/" name ".c"
	while ((status = (getline line < file)) > 0)
		if (line !~ /SPDX-License-Identifier/) {
			line = roff(line)
			gsub(/\t/, "    ", line)
			out = out (line ~ /^[.']/ ? "\\&" : "") line "\n"
		}
	close(file)
	if (status < 0 || out == "") {
		printf "%s: section %s has no example\n", file, name > "/dev/stderr"
		faults++
	}
	return out
}

function see_also(own,	i, out)
{
	out = ".BR ktstr (1),\n.BR ktstr (3)"
	for (i = 1; i <= pages; i++)
		if (i != own)
			out = out ",\n.BR ktstr_" names[i] " (3)"
	return out "\n"
}

function write_page(p,	file)
{
	file = dir "/ktstr_" names[p] ".3"
	printf ".\\\" Generated from %s.\n", header[p] > file
	printf ".TH KTSTR_%s 3 \"%s\" \"ktstr %s\" \"Library Functions Manual\"\n", \
		toupper(names[p]), date, version > file
	printf ".nh\n.ad l\n" > file
	printf ".SH NAME\nktstr_%s \\- %s\n", names[p], roff(titles[p]) > file
	printf ".SH SYNOPSIS\n.nf\n.B #include <ktstr/ktstr.h>\n.PP\n%s.fi\n", synopsis[p] > file
	printf ".SH DESCRIPTION\nDeclared in\n.IR <%s> .\n%s", roff(header[p]), text[p] > file
	printf ".SH EXAMPLES\n.nf\n%s.fi\n", example_of(names[p]) > file
	printf ".SH SEE ALSO\n%s", see_also(p) > file
	close(file)
}

END {
	for (p = 1; p <= pages; p++)
		write_page(p)
	exit faults > 0
}
