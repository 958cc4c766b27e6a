// SPDX-License-Identifier: GPL-2.0-only
/* Parses verifier logs. */
#include "verifier/verifier.h"

#define BEGIN "-- BEGIN PROG LOAD LOG --"
#define END "-- END PROG LOAD LOG --"

static const char *find(const char *text, const char *end, const char *word)
{
	return memmem(text, (size_t)(end - text), word, strlen(word));
}

static const char *line_start(const char *all, const char *p)
{
	while (p > all && p[-1] != '\n')
		p--;
	return p;
}

/* libbpf: prog 'ktstr_dispatch': -- BEGIN PROG LOAD LOG -- */
static void take_name(const char *line, const char *end, struct verifier_log *out)
{
	const char *open = find(line, end, "'");
	const char *close = open ? find(open + 1, end, "'") : NULL;

	if (!close)
		return;
	out->program = open + 1;
	out->program_len = (size_t)(close - open - 1);
}

bool verifier_log_next(const char *all, size_t len, size_t *cursor, struct verifier_log *out)
{
	const char *end = all + len, *begin, *text, *stop;

	*out = (struct verifier_log){};
	if (*cursor >= len)
		return false;
	begin = find(all + *cursor, end, BEGIN);
	if (!begin)
		return false;
	take_name(line_start(all + *cursor, begin), begin, out);
	text = memchr(begin, '\n', (size_t)(end - begin));
	text = text ? text + 1 : end;
	stop = find(text, end, END);
	*cursor = stop ? (size_t)(stop - all) + strlen(END) : len;
	out->text = text;
	out->len = (size_t)((stop ? line_start(text, stop) : end) - text);
	return true;
}

void verifier_log_last(const char *all, size_t len, struct verifier_log *out)
{
	struct verifier_log next;
	size_t cursor = 0;

	*out = (struct verifier_log){ .text = all, .len = len };
	while (verifier_log_next(all, len, &cursor, &next))
		*out = next;
}

/* Parses the number after a word in this line. */
static bool read_after(const char *line, const char *end, const char *word, uint64_t *out)
{
	const char *p = find(line, end, word);
	uint64_t value = 0;
	int digits = 0;

	if (!p)
		return false;
	for (p += strlen(word); p < end && isdigit((unsigned char)*p) && digits < 18; p++) {
		value = value * 10 + (uint64_t)(*p - '0');
		digits++;
	}
	*out = value;
	return digits > 0;
}

static void take_stack(const char *line, const char *end, struct verifier_figures *f)
{
	static const char word[] = "stack depth ";
	const char *p = find(line, end, word);
	size_t len = 0;

	if (!p)
		return;
	p += strlen(word);
	while (p + len < end && len < sizeof(f->stack) - 1 &&
	       (isdigit((unsigned char)p[len]) || p[len] == '+'))
		len++;
	memcpy(f->stack, p, len);
	f->stack[len] = '\0';
	f->has_stack = len > 0;
}

/* processed 186 insns (limit 1000000) max_states_per_insn 0 total_states 7 peak_states 7 ... */
static void take_processed(const char *line, const char *end, struct verifier_figures *f)
{
	uint64_t processed;

	if (!find(line, end, " insns (limit ") || !read_after(line, end, "processed ", &processed))
		return;
	f->has_processed = true;
	f->processed = processed;
	f->total_states = f->peak_states = 0;
	read_after(line, end, " total_states ", &f->total_states);
	read_after(line, end, " peak_states ", &f->peak_states);
}

void verifier_log_figures(const char *text, size_t len, struct verifier_figures *out)
{
	const char *end = text + len;

	*out = (struct verifier_figures){};
	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		stop = stop ? stop : end;
		take_processed(text, stop, out);
		out->has_time |= read_after(text, stop, "verification time ", &out->time_us);
		take_stack(text, stop, out);
		text = stop + 1;
	}
}

void verifier_figures_format(const struct verifier_figures *f, struct str *out)
{
	if (!f->has_processed)
		return;
	str_addf(out, "processed=%llu  states=%llu/%llu", ULL(f->processed), ULL(f->peak_states),
		 ULL(f->total_states));
	if (f->has_time)
		str_addf(out, "  time=%lluus", ULL(f->time_us));
	if (f->has_stack)
		str_addf(out, "  stack=%s", f->stack);
}
