// SPDX-License-Identifier: GPL-2.0-only
/* Reading and writing files of BPF coverage. */
#include "run/parts.h"

#define SUFFIX ".bpf.json"

char *bpf_coverage_dir(void)
{
	_free_ char *dir = coverage_dir();
	char *own = dir ? str_fmt("%s/bpf", dir) : NULL;

	if (dir && !own)
		err_no_memory();
	return own;
}

char *bpf_coverage_part(const char *dir, uint32_t part)
{
	return str_fmt("%s/part-%u", dir, part);
}

int bpf_coverage_keep(const char *dir, const struct bpf_blocks *blocks)
{
	_bpf_cover_ struct bpf_cover cover = {};
	_str_ struct str text = {};
	struct json j;
	int rc = bpf_blocks_collect(blocks, &cover);

	if (rc < 0)
		return rc;
	json_init(&j, &text, false);
	bpf_cover_to_json(&cover, &j);
	rc = str_check(&text);
	return rc < 0 ? rc : coverage_keep(dir, SUFFIX, text.s, text.len);
}

static int load(const char *path, struct bpf_cover *out)
{
	_str_ struct str text = {};
	int rc = file_read(path, &text);

	if (rc == 0)
		rc = text.len ? bpf_cover_add_json(out, text.s, text.len) :
				err_set(EINVAL, "the file is empty");
	return rc < 0 ? err_wrap(rc, "%s", path) : 0;
}

int bpf_coverage_load(const char *dir, struct bpf_cover *out)
{
	_texts_ struct texts files = {};
	int rc = coverage_files_in(dir, SUFFIX, &files);

	if (rc == 0 && !files.count)
		return err_set(ENOENT, "no run in %s has counted what it executed of BPF programs",
			       dir);
	for (size_t i = 0; i < files.count && rc == 0; i++)
		rc = load(files.items[i], out);
	return rc;
}

int bpf_coverage_clean(const char *dir)
{
	_texts_ struct texts files = {};
	int rc = coverage_files_in(dir, SUFFIX, &files);

	for (size_t i = 0; i < files.count && rc == 0; i++)
		if (unlink(files.items[i]) < 0)
			rc = err_sys(errno, "remove %s", files.items[i]);
	return rc;
}
