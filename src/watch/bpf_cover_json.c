// SPDX-License-Identifier: GPL-2.0-only
/* Coverage of BPF programs as JSON: what a run leaves, and what reports are. */
#include "watch/bpf_cover.h"

#define VERSION 1

/* ---- writing ---- */

static void put_function(const struct cover_function *f, struct json *j)
{
	json_object(j);
	json_put_string(j, "program", f->program);
	json_put_string(j, "function", f->name);
	json_put_array(j, "lines");
	for (size_t i = 0; i < f->lines.count; i++) {
		json_object(j);
		json_put_u64(j, "file", f->lines.items[i].file);
		json_put_u64(j, "line", f->lines.items[i].line);
		json_put_u64(j, "count", f->lines.items[i].count);
		json_put_string(j, "text", f->lines.items[i].text);
		json_object_end(j);
	}
	json_array_end(j);
	json_put_array(j, "branches");
	for (size_t i = 0; i < f->branches.count; i++) {
		json_object(j);
		json_put_u64(j, "file", f->branches.items[i].file);
		json_put_u64(j, "line", f->branches.items[i].line);
		json_put_u64(j, "column", f->branches.items[i].column);
		json_put_u64(j, "at", f->branches.items[i].at);
		json_put_bool(j, "jumped", f->branches.items[i].is_taken);
		json_put_bool(j, "passed", f->branches.items[i].is_passed);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

static void put_kernel(const struct cover_kernel *k, struct json *j)
{
	json_object(j);
	json_put_string(j, "function", k->name);
	json_put_u64(j, "bytes", k->bytes);
	json_put_array(j, "blocks");
	for (size_t i = 0; i < k->blocks.count; i++) {
		json_object(j);
		json_put_u64(j, "at", k->blocks.items[i].at);
		json_put_u64(j, "bytes", k->blocks.items[i].bytes);
		json_put_u64(j, "count", k->blocks.items[i].count);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

void bpf_cover_to_json(const struct bpf_cover *c, struct json *j)
{
	json_object(j);
	json_put_u64(j, "version", VERSION);
	json_put_u64(j, "runs", c->runs);
	json_put_bool(j, "truncated", c->is_cut);
	json_put_array(j, "files");
	for (size_t i = 0; i < c->files.count; i++)
		json_string(j, c->files.items[i]);
	json_array_end(j);
	json_put_array(j, "functions");
	for (size_t i = 0; i < c->functions.count; i++)
		put_function(&c->functions.items[i], j);
	json_array_end(j);
	json_put_array(j, "kernel_functions");
	for (size_t i = 0; i < c->kernel.count; i++)
		put_kernel(&c->kernel.items[i], j);
	json_array_end(j);
	json_object_end(j);
}

/* ---- reading ---- */

struct loader {
	struct bpf_cover *c;
	struct json_reader r;
	VEC(uint32_t) files; /* numbers of the text's files in c */
	const char *program;
	struct cover_function *f;
	struct cover_kernel *k;
	int rc;
};

static uint32_t to_u32(struct loader *l, const struct json_value *v)
{
	if (v->kind == JSON_UNSIGNED && v->u <= UINT32_MAX)
		return (uint32_t)v->u;
	json_read_fail(&l->r, "not a number of 32 bits");
	return 0;
}

static const char *to_text(struct loader *l, const struct json_value *v)
{
	if (v->kind == JSON_STRING)
		return v->s;
	json_read_fail(&l->r, "not a text");
	return "";
}

static uint32_t to_file(struct loader *l, const struct json_value *v)
{
	uint32_t number = to_u32(l, v);

	if (number < l->files.count)
		return l->files.items[number];
	json_read_fail(&l->r, "not the number of a file");
	return 0;
}

static void read_line(struct loader *l)
{
	struct cover_line line = { .text = "" };
	struct json_value key, v;

	while (json_read_key(&l->r, &key)) {
		json_read_value(&l->r, &v);
		if (str_eq(key.s, "file"))
			line.file = to_file(l, &v);
		else if (str_eq(key.s, "line"))
			line.line = to_u32(l, &v);
		else if (str_eq(key.s, "count") && v.kind == JSON_UNSIGNED)
			line.count = v.u;
		else if (str_eq(key.s, "text"))
			line.text = to_text(l, &v);
		else
			json_read_fail(&l->r, "not a member of a line");
	}
	if (!l->files.count)
		json_read_fail(&l->r, "a line of no file");
	if (!l->r.problem && l->rc == 0)
		l->rc = bpf_cover_line(l->c, l->f, &line);
}

static void read_branch(struct loader *l)
{
	struct cover_branch b = {};
	struct json_value key, v;

	while (json_read_key(&l->r, &key)) {
		json_read_value(&l->r, &v);
		if (str_eq(key.s, "file"))
			b.file = to_file(l, &v);
		else if (str_eq(key.s, "line"))
			b.line = to_u32(l, &v);
		else if (str_eq(key.s, "column"))
			b.column = to_u32(l, &v);
		else if (str_eq(key.s, "at"))
			b.at = to_u32(l, &v);
		else if (str_eq(key.s, "jumped"))
			b.is_taken = v.kind == JSON_TRUE;
		else if (str_eq(key.s, "passed"))
			b.is_passed = v.kind == JSON_TRUE;
		else
			json_read_fail(&l->r, "not a member of a branch");
	}
	if (!l->files.count)
		json_read_fail(&l->r, "a branch of no file");
	if (!l->r.problem && l->rc == 0)
		l->rc = bpf_cover_branch(l->f, &b);
}

/* Every item of the array that comes next is an object. */
static void read_objects(struct loader *l, void (*read)(struct loader *l))
{
	struct json_value v;

	if (json_read_value(&l->r, &v) != JSON_ARRAY)
		json_read_fail(&l->r, "not an array");
	while (json_read_item(&l->r)) {
		if (json_read_value(&l->r, &v) == JSON_OBJECT)
			read(l);
		else
			json_read_fail(&l->r, "not an object");
	}
}

/* Names come before what belongs to them, as they were written. */
static void read_function(struct loader *l)
{
	struct json_value key, v;

	l->program = NULL;
	l->f = NULL;
	while (json_read_key(&l->r, &key)) {
		if (str_eq(key.s, "program")) {
			json_read_value(&l->r, &v);
			l->program = to_text(l, &v);
		} else if (str_eq(key.s, "function") && l->program) {
			json_read_value(&l->r, &v);
			l->f = bpf_cover_function(l->c, l->program, to_text(l, &v));
			l->rc = l->f ? l->rc : -ENOMEM;
		} else if (str_eq(key.s, "lines") && l->f) {
			read_objects(l, read_line);
		} else if (str_eq(key.s, "branches") && l->f) {
			read_objects(l, read_branch);
		} else {
			json_read_fail(&l->r, "not a member of a function");
		}
		if (l->rc < 0)
			json_read_fail(&l->r, "no memory");
	}
}

static void read_block(struct loader *l)
{
	struct cover_block b = {};
	struct json_value key, v;

	while (json_read_key(&l->r, &key)) {
		json_read_value(&l->r, &v);
		if (str_eq(key.s, "at"))
			b.at = to_u32(l, &v);
		else if (str_eq(key.s, "bytes"))
			b.bytes = to_u32(l, &v);
		else if (str_eq(key.s, "count") && v.kind == JSON_UNSIGNED)
			b.count = v.u;
		else
			json_read_fail(&l->r, "not a member of a block");
	}
	if (!l->r.problem && l->rc == 0)
		l->rc = bpf_cover_block(l->k, &b);
}

static void read_kernel(struct loader *l)
{
	const char *name = NULL;
	struct json_value key, v;

	l->k = NULL;
	while (json_read_key(&l->r, &key)) {
		if (str_eq(key.s, "function")) {
			json_read_value(&l->r, &v);
			name = to_text(l, &v);
		} else if (str_eq(key.s, "bytes") && name) {
			json_read_value(&l->r, &v);
			l->k = bpf_cover_kernel(l->c, name, to_u32(l, &v));
			l->rc = l->k ? l->rc : -ENOMEM;
		} else if (str_eq(key.s, "blocks") && l->k) {
			read_objects(l, read_block);
		} else {
			json_read_fail(&l->r, "not a member of a kernel function");
		}
		if (l->rc < 0)
			json_read_fail(&l->r, "no memory");
	}
}

static void read_files(struct loader *l)
{
	struct json_value v;

	if (json_read_value(&l->r, &v) != JSON_ARRAY)
		json_read_fail(&l->r, "not an array");
	while (json_read_item(&l->r)) {
		size_t number;

		json_read_value(&l->r, &v);
		number = bpf_cover_file(l->c, to_text(l, &v));
		if (number == SIZE_MAX)
			l->rc = -ENOMEM;
		else if (l->rc == 0)
			l->rc = vec_push(&l->files, (uint32_t)number);
		if (l->rc < 0)
			json_read_fail(&l->r, "no memory");
	}
}

static void read_document(struct loader *l)
{
	struct json_value key, v;

	while (json_read_key(&l->r, &key)) {
		if (str_eq(key.s, "files")) {
			read_files(l);
		} else if (str_eq(key.s, "functions")) {
			read_objects(l, read_function);
		} else if (str_eq(key.s, "kernel_functions")) {
			read_objects(l, read_kernel);
		} else {
			json_read_value(&l->r, &v);
			if (str_eq(key.s, "version") && to_u32(l, &v) != VERSION)
				json_read_fail(&l->r, "another version");
			else if (str_eq(key.s, "runs"))
				l->c->runs += to_u32(l, &v);
			else if (str_eq(key.s, "truncated"))
				l->c->is_cut |= v.kind == JSON_TRUE;
		}
	}
}

int bpf_cover_add_json(struct bpf_cover *c, char *text, size_t len)
{
	struct loader l = { .c = c };
	struct json_value v;

	json_read_init(&l.r, text, len);
	if (json_read_value(&l.r, &v) == JSON_OBJECT)
		read_document(&l);
	else
		json_read_fail(&l.r, "not an object");
	if (!json_read_end(&l.r) && l.rc == 0)
		l.rc = err_set(EINVAL, "no coverage of BPF programs: byte %zu: %s", l.r.problem_at,
			       l.r.problem);
	free(l.files.items);
	return l.rc;
}
