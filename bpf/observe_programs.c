// SPDX-License-Identifier: GPL-2.0-only
/* Finds programs of sched_ext schedulers by the maps that hold their operations. */
#include "observe_probes.h"

#define OPS_VALUE "bpf_struct_ops_sched_ext_ops"
#define OPS "sched_ext_ops"
#define MAX_VALUE 4096

/* Data of a scheduler's program. */
struct program {
	struct bpf_prog_info info;
	struct bpf_func_info function;
	struct bpf_line_info line;
};

static int read_program(int fd, struct program *out)
{
	struct bpf_prog_info first = {};
	__u32 len = sizeof(first);
	int rc = bpf_prog_get_info_by_fd(fd, &first, &len);

	if (rc < 0)
		return rc;
	if (!first.btf_id || !first.nr_func_info)
		return -ENODATA;
	memset(out, 0, sizeof(*out));
	out->info.nr_func_info = 1;
	out->info.func_info_rec_size = sizeof(out->function);
	out->info.func_info = (__u64)(unsigned long)&out->function;
	out->info.nr_line_info = first.nr_line_info ? 1 : 0;
	out->info.line_info_rec_size = sizeof(out->line);
	out->info.line_info = (__u64)(unsigned long)&out->line;
	len = sizeof(out->info);
	return bpf_prog_get_info_by_fd(fd, &out->info, &len);
}

static void describe(struct function *f, const struct program *program, const struct btf *types,
		     const char *op)
{
	const struct btf_type *t = btf__type_by_id(types, program->function.type_id);
	const char *name = t ? btf__name_by_offset(types, t->name_off) : program->info.name;
	const char *file = NULL;

	snprintf(f->name, sizeof(f->name), "%s", name);
	snprintf(f->op, sizeof(f->op), "%s", op);
	f->id = program->info.id;
	if (program->info.nr_line_info) {
		file = btf__name_by_offset(types, program->line.file_name_off);
		f->line = BPF_LINE_INFO_LINE_NUM(program->line.line_col);
	}
	snprintf(f->file, sizeof(f->file), "%s", file ? file : "");
}

static bool is_known(const struct probes *p, __u32 id)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->functions[i].id == id)
			return true;
	return false;
}

static int attach(struct probes *p, int fd, const char *op, const struct btf_type *prototype)
{
	struct function *f = &p->functions[p->count];
	unsigned int count = btf_vlen(prototype);
	__u64 cookie = p->count |
		       (__u64)probes_parameter(p->kernel, prototype, "task_struct") << 16 |
		       (__u64)TRACE_ENTER << 24 | PROBE_IS_PROGRAM;
	struct program program;
	struct btf *types;
	int rc = read_program(fd, &program);

	if (rc < 0)
		return rc;
	types = btf__load_from_kernel_by_id(program.info.btf_id);
	if (!types)
		return -errno;
	describe(f, &program, types, op);
	btf__free(types);
	f->arguments = count < TRACE_MAX_ARGUMENTS ? count : TRACE_MAX_ARGUMENTS;
	rc = probes_attach_copy(p, "probe_enter", fd, program.function.type_id, cookie);
	if (rc >= 0)
		rc = probes_attach_copy(p, "probe_leave", fd, program.function.type_id, cookie);
	return rc;
}

/* Attaches to the program of an operation. The map has program IDs in place of functions. */
static void take_member(struct probes *p, const struct btf_member *member, const void *value)
{
	const char *op = btf__name_by_offset(p->kernel, member->name_off);
	const struct btf_type *t =
		btf__type_by_id(p->kernel, (__u32)btf__resolve_type(p->kernel, member->type));
	__u64 id;
	int fd, rc;

	if (!t || !btf_is_ptr(t))
		return;
	t = btf__type_by_id(p->kernel, (__u32)btf__resolve_type(p->kernel, t->type));
	if (!t || !btf_is_func_proto(t))
		return;
	memcpy(&id, (const char *)value + member->offset / 8, sizeof(id));
	if (!id || is_known(p, (__u32)id) || p->count == PROBE_FUNCTIONS)
		return;
	fd = bpf_prog_get_fd_by_id((__u32)id);
	if (fd < 0)
		return;
	rc = attach(p, fd, op, t);
	close(fd);
	if (rc < 0)
		probes_drop(p, op, "its program cannot be attached to", rc);
	p->functions[p->count].id = (__u32)id;
	p->count++;
}

static void take_map(struct probes *p, int fd, __u32 value_type)
{
	const struct btf_type *outer = btf__type_by_id(p->kernel, value_type), *ops;
	__s32 id = btf__find_by_name_kind(p->kernel, OPS, BTF_KIND_STRUCT);
	static char value[MAX_VALUE];
	__u32 zero = 0, offset = 0;

	if (!outer || id < 0 ||
	    strcmp(btf__name_by_offset(p->kernel, outer->name_off), OPS_VALUE) != 0 ||
	    outer->size > sizeof(value) || bpf_map_lookup_elem(fd, &zero, value) < 0)
		return;
	for (unsigned int i = 0; i < btf_vlen(outer); i++)
		if (strcmp(btf__name_by_offset(p->kernel, btf_members(outer)[i].name_off),
			   "data") == 0)
			offset = btf_members(outer)[i].offset / 8;
	ops = btf__type_by_id(p->kernel, (__u32)id);
	for (unsigned int i = 0; i < btf_vlen(ops); i++)
		take_member(p, &btf_members(ops)[i], value + offset);
}

void programs_attach(struct probes *p)
{
	for (__u32 id = 0; bpf_map_get_next_id(id, &id) == 0;) {
		struct bpf_map_info info = {};
		__u32 len = sizeof(info);
		int fd = bpf_map_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (bpf_map_get_info_by_fd(fd, &info, &len) == 0 &&
		    info.type == BPF_MAP_TYPE_STRUCT_OPS)
			take_map(p, fd, info.btf_vmlinux_value_type_id);
		close(fd);
	}
}
