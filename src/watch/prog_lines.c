// SPDX-License-Identifier: GPL-2.0-only
/* Finds programs in the kernel's IDR, and lines by struct bpf_line_info. */
#include "watch/parts.h"

#define MAX_LINES (1UL << 18)
#define MAX_READ_LINES (1UL << 20) /* limit for tables that may be invalid */
#define MAX_FUNCTIONS 4096
#define MAX_SUBPROGRAMS 256
#define MAX_TEXT 256
#define MAX_FUNCTION_BYTES (16UL << 20)
#define MAX_TYPES_BYTES (64UL << 20)
#define MAX_NAME 256
#define MAX_OP 31
#define MAX_PROLOGUE 32
#define COLUMN_BITS 10
#define TAG_DIGITS 16

struct line_info {
	uint32_t instruction, file, text, line_and_column;
};

struct reader {
	struct prog_lines *out;
	struct space *space;
	size_t types_left, lines_left;
	struct guest_types types; /* of the program; often the same as of the previous one */
	struct line_info *lines;  /* of the program and all its subprograms */
	uint64_t *addresses;
	uint32_t line_count;
};

static const enum watch_member needed[] = { M_PROG_AUX, M_PROG_FUNC, M_PROG_JITED_LEN, M_AUX_ID,
					    M_AUX_KSYM_NAME };

static uint64_t number(struct reader *r, uint64_t at, enum watch_member m)
{
	uint64_t value;

	return space_read_member(r->space, at, m, &value) ? value : 0;
}

/* "bpf_prog_0123456789abcdef_NAME" contains the full name; bpf_prog_aux.name has 15 characters. */
static const char *skip_tag(const char *name)
{
	static const char prefix[] = "bpf_prog_";
	const char *at = name + sizeof(prefix) - 1;

	if (!str_starts(name, prefix) || strspn(at, "0123456789abcdef") < TAG_DIGITS)
		return name;
	at += TAG_DIGITS;
	return *at == '_' && at[1] ? at + 1 : name;
}

static const char *read_name(struct reader *r, uint64_t aux)
{
	char name[MAX_NAME + 1] = "";
	const char *text;

	space_read(r->space, aux + r->space->layout->members[M_AUX_KSYM_NAME], name, MAX_NAME);
	for (char *c = name; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	text = skip_tag(name);
	return arena_copy(&r->out->arena, text, strlen(text));
}

/* Name of the struct_ops member through which the kernel calls the program. */
static const char *read_op(struct reader *r, uint64_t aux)
{
	char op[MAX_OP + 1] = "";
	uint64_t at = number(r, aux, M_AUX_OP);

	if (at && !space_read(r->space, at, op, MAX_OP))
		*op = 0;
	return arena_copy(&r->out->arena, op, strlen(op));
}

static int read_types(struct reader *r, uint64_t aux)
{
	uint64_t btf = number(r, aux, M_AUX_BTF);

	if (!btf || btf == r->types.address)
		return 0;
	guest_types_finish(&r->types);
	return guest_types_read(&r->types, r->space, btf, &r->types_left);
}

/* Reads the tables that a program shares with its subprograms. They are useless without BTF. */
static int read_tables(struct reader *r, uint64_t aux)
{
	uint64_t count = number(r, aux, M_AUX_LINE_COUNT);
	uint64_t lines = number(r, aux, M_AUX_LINES), jited = number(r, aux, M_AUX_JITED_LINES);
	int rc;

	r->line_count = 0;
	if (!count || !lines || !jited || !number(r, aux, M_AUX_BTF))
		return 0;
	rc = read_types(r, aux);
	if (rc < 0)
		return rc;
	if (count > r->lines_left || !r->types.data) {
		r->out->is_cut = true;
		return 0;
	}
	r->lines_left -= count;
	free(r->lines);
	free(r->addresses);
	r->lines = calloc(count, sizeof(*r->lines));
	r->addresses = calloc(count, sizeof(*r->addresses));
	if (!r->lines || !r->addresses)
		return err_no_memory();
	if (space_read(r->space, lines, r->lines, count * sizeof(*r->lines)) &&
	    space_read(r->space, jited, r->addresses, count * sizeof(*r->addresses)))
		r->line_count = (uint32_t)count;
	else
		r->out->is_cut = true;
	return 0;
}

static const char *copy_string(struct reader *r, uint32_t offset)
{
	const char *text = btf_name_at(&r->types.btf, offset);

	return arena_copy(&r->out->arena, text, strnlen(text, MAX_TEXT));
}

static int add_line(struct reader *r, uint32_t i, const struct prog_line *last, uint32_t last_file)
{
	const struct line_info *info = &r->lines[i];
	struct prog_line l = { .address = r->addresses[i],
			       .line = info->line_and_column >> COLUMN_BITS,
			       .column = info->line_and_column & ((1U << COLUMN_BITS) - 1) };

	l.file = last && last_file == info->file ? last->file : copy_string(r, info->file);
	l.text = copy_string(r, info->text);
	return l.file && l.text ? vec_push(&r->out->lines, l) : err_no_memory();
}

/* Lines of a function are contiguous and ascending. */
static int add_lines(struct reader *r, struct prog_function *f, uint64_t aux)
{
	uint64_t first = number(r, aux, M_AUX_FIRST_LINE);
	struct prog_lines *out = r->out;

	f->first = out->lines.count;
	for (uint64_t i = first; i < r->line_count; i++) {
		const struct prog_line *last = f->count ? &out->lines.items[out->lines.count - 1] :
							  NULL;
		int rc;

		if (r->addresses[i] < (last ? last->address : f->start) ||
		    r->addresses[i] >= f->end)
			break;
		if (out->lines.count == MAX_LINES) {
			out->is_cut = true;
			break;
		}
		rc = add_line(r, (uint32_t)i, last, i ? r->lines[i - 1].file : 0);
		if (rc < 0)
			return rc;
		f->count++;
	}
	return 0;
}

/* Finds "push %rbp; mov %rsp,%rbp"; calls may be patched in before it. */
static void find_frame(struct reader *r, struct prog_function *f)
{
	static const unsigned char makes[] = { 0x55, 0x48, 0x89, 0xe5 };
	unsigned char code[MAX_PROLOGUE];
	size_t bytes = MIN(sizeof(code), f->end - f->start);
	const unsigned char *at;

	if (!space_read(r->space, f->start, code, bytes))
		return;
	at = memmem(code, bytes, makes, sizeof(makes));
	f->has_frame = at != NULL;
	f->frame_at = at ? (uint16_t)(at - code) : 0;
}

/* main: name of the program if this is a subprogram. */
static int add_function(struct reader *r, uint64_t prog, uint32_t id, const char *main)
{
	uint64_t aux = number(r, prog, M_PROG_AUX), bytes = number(r, prog, M_PROG_JITED_LEN);
	struct prog_function f = { .id = id, .start = number(r, prog, M_PROG_FUNC) };
	int rc;

	if (!aux || !f.start || !bytes || bytes > MAX_FUNCTION_BYTES ||
	    f.start > UINT64_MAX - bytes || r->out->functions.count == MAX_FUNCTIONS) {
		r->out->is_cut = true;
		return 0;
	}
	f.end = f.start + bytes;
	f.name = read_name(r, aux);
	f.program = main ? main : f.name;
	f.op = main ? "" : read_op(r, aux);
	if (!f.name || !f.op)
		return err_no_memory();
	find_frame(r, &f);
	rc = add_lines(r, &f, aux);
	return rc < 0 ? rc : vec_push(&r->out->functions, f);
}

/* The first of them is the program itself. */
static int add_subprograms(struct reader *r, uint64_t aux, uint32_t id, const char *main)
{
	uint64_t count = number(r, aux, M_AUX_FUNC_COUNT), list = number(r, aux, M_AUX_FUNCS);
	int rc = 0;

	if (count > MAX_SUBPROGRAMS)
		r->out->is_cut = true;
	for (uint64_t i = 1; list && i < MIN(count, MAX_SUBPROGRAMS) && rc == 0; i++) {
		uint64_t prog;

		if (space_read_u64(r->space, list + i * sizeof(prog), &prog))
			rc = add_function(r, prog, id, main);
		else
			r->out->is_cut = true;
	}
	return rc;
}

static int add_program(struct reader *r, uint64_t prog)
{
	size_t before = r->out->functions.count;
	uint64_t aux;
	uint32_t id;
	int rc;

	if (!layout_has_all(r->space->layout, needed, ARRAY_SIZE(needed)))
		return 0;
	aux = number(r, prog, M_PROG_AUX);
	id = (uint32_t)number(r, aux, M_AUX_ID);
	rc = read_tables(r, aux);
	rc = rc ?: add_function(r, prog, id, NULL);
	if (rc < 0 || r->out->functions.count == before)
		return rc;
	return add_subprograms(r, aux, id, r->out->functions.items[before].program);
}

static struct reader reader_of(struct prog_lines *p, struct space *space)
{
	return (struct reader){ p, space, MAX_TYPES_BYTES, MAX_READ_LINES };
}

static void reader_finish(struct reader *r)
{
	guest_types_finish(&r->types);
	free(r->lines);
	free(r->addresses);
}

int prog_lines_add(struct prog_lines *p, struct space *space, uint64_t program)
{
	_cleanup_(reader_finish) struct reader r = reader_of(p, space);

	return add_program(&r, program);
}

int prog_lines_of_schedulers(struct prog_lines *p, struct space *space)
{
	_cleanup_(reader_finish) struct reader r = reader_of(p, space);
	_idr_objects_ struct idr_objects objects = {};
	int rc = idr_read(&objects, space, SYM_PROG_IDR);

	p->is_cut |= objects.is_cut;
	for (size_t i = 0; i < objects.items.count && rc == 0; i++)
		if (number(&r, objects.items.items[i], M_PROG_TYPE) == SPACE_STRUCT_OPS)
			rc = add_program(&r, objects.items.items[i]);
	return rc;
}

void prog_lines_finish(struct prog_lines *p)
{
	arena_finish(&p->arena);
	free(p->functions.items);
	free(p->lines.items);
	*p = (struct prog_lines){};
}

const struct prog_line *prog_lines_at(const struct prog_lines *p, const struct prog_function *f,
				      uint64_t address)
{
	const struct prog_line *found = NULL;

	for (size_t i = 0; i < f->count; i++) {
		const struct prog_line *l = &p->lines.items[f->first + i];

		if (l->address > address)
			break;
		found = l;
	}
	return found;
}
