// SPDX-License-Identifier: GPL-2.0-only
/* Removes from messages what differs between runs. */
#include "stats/stats.h"

static const char *skip_hex(const char *p)
{
	const char *digits = p + 2;

	if (p[0] != '0' || (p[1] != 'x' && p[1] != 'X') || !isxdigit((unsigned char)*digits))
		return NULL;
	while (isxdigit((unsigned char)*digits))
		digits++;
	return digits;
}

/* Skips "12", "3.5", "0x1f" or "1e+06". */
static const char *skip_number(const char *p)
{
	const char *hex = skip_hex(p);

	if (hex)
		return hex;
	while (isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1])))
		p++;
	if (*p == 'e' && (p[1] == '+' || p[1] == '-') && isdigit((unsigned char)p[2]))
		for (p += 2; isdigit((unsigned char)*p);)
			p++;
	return p;
}

/* Skips "0-3,7": neither number nor names of CPUs matter. */
static const char *skip_list(const char *p)
{
	p = skip_number(p);
	while ((*p == ',' || *p == '-') && isdigit((unsigned char)p[1]))
		p = skip_number(p + 1);
	return p;
}

static bool is_number_until(const char *p, char end)
{
	size_t digits = strspn(p, "0123456789");

	return digits && p[digits] == end;
}

/* "[17]", as the kernel prints a pid after the name of a task. */
static bool is_pid(const char *p)
{
	return *p == '[' && is_number_until(p + 1, ']');
}

/* " (tid 17)", as checks print it after the name of a worker or another task. */
static bool is_tid(const char *p)
{
	static const char *const starts[] = { " (tid ", " (pid ", " (thread ", " (kernel thread " };

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		if (str_starts(p, starts[i]))
			return is_number_until(p + strlen(starts[i]), ')');
	return false;
}

/*
 * Replaces the name of the affected task, which is random. Stall messages start with it, "NAME[17]
 * failed to run for 4.5s", and it may contain blanks; elsewhere the name is the word before the
 * PID.
 */
static void replace_name(struct str *out, size_t from, const char *pid)
{
	bool may_have_blanks = *pid == '[' &&
			       str_starts(strchr(pid, ']') + 1, " failed to run for ");
	size_t at = out->len;

	for (; at > from && out->s[at - 1] != '('; at--)
		if (out->s[at - 1] == ' ' &&
		    (!may_have_blanks || at - 1 == from || strchr(":;", out->s[at - 2])))
			break;
	out->s[out->len = at] = '\0';
	str_add(out, "TASK");
}

void signature_add_text(struct str *out, const char *text)
{
	size_t from = out->len;

	while (*text) {
		if (out->len > from && (is_pid(text) || is_tid(text)))
			replace_name(out, from, text);
		if (isdigit((unsigned char)*text)) {
			str_addc(out, '#');
			text = skip_list(text);
		} else {
			str_addc(out, *text == '\n' ? ' ' : *text);
			text++;
		}
	}
}
