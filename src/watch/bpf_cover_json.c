// SPDX-License-Identifier: GPL-2.0-only
/* BPF coverage as JSON: the files of runs, and the format of reports. */
#include "watch/parts.h"

#include "base/json_fields.h"

#define VERSION 1

/* clang-format off */
static const struct json_field line_fields[] = {
	JSON_FIELD(cover_line, file, U32),
	JSON_FIELD(cover_line, line, U32),
	JSON_FIELD(cover_line, count, U64),
	JSON_FIELD(cover_line, text, TEXT, .flags = FIELD_REQUIRED),
	{}
};

static const struct json_field branch_fields[] = {
	JSON_FIELD(cover_branch, file, U32),
	JSON_FIELD(cover_branch, line, U32),
	JSON_FIELD(cover_branch, column, U32),
	JSON_FIELD(cover_branch, at, U32),
	JSON_NAMED("jumped", cover_branch, is_taken, BOOL),
	JSON_NAMED("passed", cover_branch, is_passed, BOOL),
	{}
};

static const struct json_field function_fields[] = {
	JSON_FIELD(cover_function, program, TEXT, .flags = FIELD_REQUIRED),
	JSON_NAMED("function", cover_function, name, TEXT, .flags = FIELD_REQUIRED),
	JSON_LIST_OF("lines", cover_function, lines, line_fields),
	JSON_LIST_OF("branches", cover_function, branches, branch_fields),
	{}
};

static const struct json_field pair_fields[] = {
	JSON_FIELD(cover_pair, first_function, U32),
	JSON_FIELD(cover_pair, first_line, U32),
	JSON_FIELD(cover_pair, second_function, U32),
	JSON_FIELD(cover_pair, second_line, U32),
	{}
};

static const struct json_field block_fields[] = {
	JSON_FIELD(cover_block, at, U32),
	JSON_FIELD(cover_block, bytes, U32),
	JSON_FIELD(cover_block, count, U64),
	{}
};

static const struct json_field kernel_fields[] = {
	JSON_NAMED("function", cover_kernel, name, TEXT, .flags = FIELD_REQUIRED),
	JSON_FIELD(cover_kernel, bytes, U32, .flags = FIELD_REQUIRED),
	JSON_LIST_OF("blocks", cover_kernel, blocks, block_fields),
	{}
};

static const struct json_field cover_fields[] = {
	{ "version", FIELD_SCHEMA, .size = VERSION },
	JSON_FIELD(bpf_cover, runs, U64),
	JSON_NAMED("truncated", bpf_cover, is_cut, BOOL),
	JSON_LIST(bpf_cover, files, TEXT),
	JSON_LIST_OF("functions", bpf_cover, functions, function_fields),
	JSON_LIST_OF("pairs", bpf_cover, pairs, pair_fields),
	JSON_LIST_OF("kernel_functions", bpf_cover, kernel, kernel_fields),
	{}
};
/* clang-format on */

void bpf_cover_to_json(const struct bpf_cover *c, struct json *j)
{
	json_put_struct(j, cover_fields, c);
}

/* Validates the indices: files of lines and branches, functions of pairs. */
static bool has_its_files(const struct bpf_cover *c)
{
	vec_each(const struct cover_pair, p, &c->pairs)
		if (p->first_function >= c->functions.count ||
		    p->second_function >= c->functions.count)
			return false;
	vec_each(const struct cover_function, f, &c->functions) {
		vec_each(const struct cover_line, line, &f->lines)
			if (line->file >= c->files.count)
				return false;
		vec_each(const struct cover_branch, branch, &f->branches)
			if (branch->file >= c->files.count)
				return false;
	}
	return true;
}

static int read_text(struct bpf_cover *c, char *text, size_t len)
{
	struct json_reader r;
	struct json_load l = { .r = &r, .arena = &c->arena };

	json_read_init(&r, text, len);
	if (!json_load_text(&l, cover_fields, c))
		return l.is_out_of_memory ?
			       err_no_memory() :
			       err_set(EINVAL, "no coverage of BPF programs: byte %zu: %s",
				       r.problem_at, r.problem);
	if (!has_its_files(c))
		return err_set(EINVAL,
			       "no coverage of BPF programs: a line, branch or pair of nothing");
	return 0;
}

int bpf_cover_add_json(struct bpf_cover *c, char *text, size_t len)
{
	struct bpf_cover read = {};
	int rc = read_text(&read, text, len);

	/* In the order of the text, including files without lines. */
	for (size_t i = 0; i < read.files.count && rc == 0; i++)
		rc = bpf_cover_file(c, read.files.items[i]) == SIZE_MAX ? -ENOMEM : 0;
	rc = rc ?: bpf_cover_add(c, &read);
	arena_finish(&read.arena);
	return rc;
}
