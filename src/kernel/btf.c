// SPDX-License-Identifier: GPL-2.0-only
/* Checks of sched_ext in BTF, and the section .BTF of an ELF file. */
#include "kernel/btf.h"

#include "base/elf_view.h"

struct scx_functions {
	uint32_t *items;
	size_t count, cap;
};

static bool is_scx_name(const char *name)
{
	return str_starts(name, "scx_bpf_") || str_starts(name, "__scx_bpf_") ||
	       str_starts(name, "bpf_iter_scx");
}

/* Type IDs of functions with a name of sched_ext. */
static int list_scx(const struct btf *b, struct scx_functions *scx, struct btf_facts *out)
{
	int rc = 0;

	for (uint32_t i = 1; i <= b->offsets.count && rc == 0; i++) {
		struct btf_type t = btf_type_at(b, i);
		const char *name = btf_name_at(b, t.name);

		if (btf_kind_of(&t) == BTF_STRUCT && t.size_or_type &&
		    str_eq(name, "sched_ext_ops"))
			out->has_scx = true;
		if (btf_kind_of(&t) == BTF_FUNC && is_scx_name(name))
			rc = vec_push(scx, i);
	}
	return rc;
}

static bool has_twin(const struct btf *b, const struct scx_functions *scx, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < scx->count; i++) {
		struct btf_type t = btf_type_at(b, scx->items[i]);
		const char *other = btf_name_at(b, t.name);

		if (strncmp(other, name, len) == 0 && str_eq(other + len, "_impl"))
			return true;
	}
	return false;
}

static bool is_impl(const char *name)
{
	size_t len = strlen(name);

	return len > 5 && str_eq(name + len - 5, "_impl");
}

static uint32_t count_unsound(const struct btf *b, const struct scx_functions *scx)
{
	uint32_t count = 0;

	for (size_t i = 0; i < scx->count; i++) {
		struct btf_type t = btf_type_at(b, scx->items[i]);
		const char *name = btf_name_at(b, t.name);

		if (!is_impl(name) && str_eq(btf_last_parameter(b, &t), "aux") &&
		    !has_twin(b, scx, name))
			count++;
	}
	return count;
}

int btf_look(const void *data, size_t len, struct btf_facts *out)
{
	struct scx_functions scx = {};
	_btf_ struct btf b = {};
	int rc;

	*out = (struct btf_facts){};
	rc = btf_open(&b, data, len) ?: list_scx(&b, &scx, out);
	if (rc == 0)
		out->unsound_kfuncs = count_unsound(&b, &scx);
	free(scx.items);
	return rc;
}

int btf_file_open(struct btf_file *f, const char *vmlinux)
{
	const uint8_t *section;
	size_t len;
	int rc;

	*f = (struct btf_file){};
	if (!vmlinux)
		return err_set(ENOENT, "the kernel's vmlinux is not there");
	rc = map_file_open_whole(&f->file, vmlinux);
	if (rc == 0 && elf_section(f->file.data, f->file.size, ".BTF", &section, &len) < 0)
		rc = err_set(ENOENT, "%s has no BTF", vmlinux);
	rc = rc ?: btf_open(&f->types, section, len);
	if (rc < 0)
		btf_file_close(f);
	return rc;
}

void btf_file_close(struct btf_file *f)
{
	btf_close(&f->types);
	map_file_finish(&f->file);
}
