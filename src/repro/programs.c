// SPDX-License-Identifier: GPL-2.0-only
/* From prog_idr to lines of source; see struct bpf_line_info and bpf_func_info of the kernel. */
#include "repro/programs.h"

#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/util.h"
#include "watch/idr.h"

#define MAX_PROGRAMS 64
#define MAX_LINES 65536UL
#define MAX_LINES_OF_PROGRAM 16384UL
#define MAX_BYTES (1U << 20)
#define MAX_TYPES_BYTES (8U << 20)
#define MAX_TEXT 200

/* Types of the program that is read; all programs of a scheduler share theirs. */
struct walk {
	struct programs *out;
	struct space *space;
	uint64_t types_at;
	void *types_data;
	struct btf types;
	uint32_t file_at; /* the file told last */
	const char *file;
	int rc;
};

static void close_types(struct walk *w)
{
	btf_close(&w->types);
	free(w->types_data);
	w->types_data = NULL;
	w->types = (struct btf){};
	w->file = NULL;
}

static bool open_types(struct walk *w, uint64_t address)
{
	uint64_t data, size;

	if (address == w->types_at)
		return w->types_data;
	close_types(w);
	w->types_at = address;
	if (!space_read_member(w->space, address, M_BTF_DATA, &data) ||
	    !space_read_member(w->space, address, M_BTF_DATA_SIZE, &size) || !size ||
	    size > MAX_TYPES_BYTES)
		return false;
	w->types_data = malloc(size);
	if (!w->types_data) {
		w->rc = err_no_memory();
		return false;
	}
	if (space_read(w->space, data, w->types_data, size) &&
	    btf_open(&w->types, w->types_data, size) == 0)
		return true;
	err_clear();
	close_types(w);
	return false;
}

static const char *keep(struct walk *w, const char *text)
{
	const char *copy = arena_copy(&w->out->arena, text, strnlen(text, MAX_TEXT));

	if (!copy)
		w->rc = err_no_memory();
	return copy;
}

/* "scx_ktstr.bpf.c" */
static const char *keep_file(struct walk *w, uint32_t at)
{
	const char *path, *name;

	if (w->file && at == w->file_at)
		return w->file;
	path = btf_name_at(&w->types, at);
	name = strrchr(path, '/');
	w->file = keep(w, name ? name + 1 : path);
	w->file_at = at;
	return w->file;
}

static void add_line(struct walk *w, const struct bpf_line_info *info, uint64_t address)
{
	const char *text = btf_name_at(&w->types, info->line_off);
	struct source_line line = { .address = address,
				    .number = BPF_LINE_INFO_LINE_NUM(info->line_col) };

	line.file = keep_file(w, info->file_name_off);
	line.text = keep(w, text + strspn(text, " \t"));
	if (w->rc == 0)
		w->rc = vec_push(&w->out->lines, line);
}

static void add_lines(struct walk *w, const struct bpf_line_info *infos, const uint64_t *addresses,
		      size_t count)
{
	for (size_t i = 0; i < count && w->rc == 0; i++) {
		if (w->out->lines.count == MAX_LINES) {
			w->out->is_cut = true;
			break;
		}
		if (addresses[i])
			add_line(w, &infos[i], addresses[i]);
	}
}

/* Two arrays of the same length: what the lines are, and where their code is. */
static void read_lines(struct walk *w, uint64_t aux, struct bpf_program *p)
{
	_free_ struct bpf_line_info *infos = NULL;
	_free_ uint64_t *addresses = NULL;
	uint64_t infos_at, addresses_at, count;

	p->first = w->out->lines.count;
	if (!space_read_member(w->space, aux, M_AUX_LINES, &infos_at) || !infos_at ||
	    !space_read_member(w->space, aux, M_AUX_LINES_AT, &addresses_at) || !addresses_at ||
	    !space_read_member(w->space, aux, M_AUX_LINE_COUNT, &count) || !count)
		return;
	w->out->is_cut |= count > MAX_LINES_OF_PROGRAM;
	count = MIN(count, MAX_LINES_OF_PROGRAM);
	infos = calloc(count, sizeof(*infos));
	addresses = calloc(count, sizeof(*addresses));
	if (!infos || !addresses)
		w->rc = err_no_memory();
	else if (space_read(w->space, infos_at, infos, count * sizeof(*infos)) &&
		 space_read(w->space, addresses_at, addresses, count * sizeof(*addresses)))
		add_lines(w, infos, addresses, count);
	else
		w->out->is_cut = true;
	p->count = w->out->lines.count - p->first;
}

static void read_text(struct walk *w, uint64_t address, char *out, size_t size)
{
	memset(out, 0, size);
	if (!address || !space_read(w->space, address, out, size - 1))
		memset(out, 0, size);
}

/* The name that a program keeps for itself is cut. */
static void read_names(struct walk *w, uint64_t aux, struct bpf_program *p)
{
	uint64_t functions, op;
	struct bpf_func_info first;
	struct btf_type t;

	if (space_read_member(w->space, aux, M_AUX_OP, &op))
		read_text(w, op, p->op, sizeof(p->op));
	if (layout_has(w->space->layout, M_AUX_NAME))
		read_text(w, aux + w->space->layout->members[M_AUX_NAME], p->name,
			  BPF_OBJ_NAME_LEN);
	if (!w->types_data || !space_read_member(w->space, aux, M_AUX_FUNCTIONS, &functions) ||
	    !functions || !space_read(w->space, functions, &first, sizeof(first)))
		return;
	t = btf_type_at(&w->types, first.type_id);
	if (btf_kind_of(&t) == BTF_FUNC)
		snprintf(p->name, sizeof(p->name), "%s", btf_name_at(&w->types, t.name));
}

static void read_program(struct walk *w, uint64_t address)
{
	struct bpf_program p = {};
	uint64_t type, aux, bytes, types;

	if (!space_read_member(w->space, address, M_PROG_TYPE, &type) ||
	    type != BPF_PROG_TYPE_STRUCT_OPS)
		return;
	if (!space_read_member(w->space, address, M_PROG_AUX, &aux) ||
	    !space_read_member(w->space, address, M_PROG_CODE, &p.address) || !p.address ||
	    !space_read_member(w->space, address, M_PROG_CODE_BYTES, &bytes) || !bytes ||
	    bytes > MAX_BYTES || w->out->items.count == MAX_PROGRAMS) {
		w->out->is_cut = true;
		return;
	}
	p.bytes = (uint32_t)bytes;
	if (space_read_member(w->space, aux, M_AUX_BTF, &types) && types && open_types(w, types))
		read_lines(w, aux, &p);
	read_names(w, aux, &p);
	if (w->rc == 0)
		w->rc = vec_push(&w->out->items, p);
}

int programs_read(struct programs *p, struct space *space)
{
	_idr_objects_ struct idr_objects objects = {};
	struct walk w = { .out = p, .space = space };

	*p = (struct programs){};
	w.rc = idr_read(&objects, space, SYM_PROG_IDR);
	p->is_cut = objects.is_cut;
	for (size_t i = 0; i < objects.items.count && w.rc == 0; i++)
		read_program(&w, objects.items.items[i]);
	close_types(&w);
	if (w.rc < 0)
		programs_finish(p);
	return w.rc;
}

void programs_finish(struct programs *p)
{
	free(p->items.items);
	free(p->lines.items);
	arena_finish(&p->arena);
	*p = (struct programs){};
}
