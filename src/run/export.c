// SPDX-License-Identifier: GPL-2.0-only
/* Exports a test, given its name, to a file. */
#include "run/parts.h"

/* ---- tests that cannot be exported ---- */

static bool is_host_only(const struct variant *v)
{
	return v->test->host_only;
}

static bool has_kernel_scheduler(const struct variant *v)
{
	return v->sched && (v->sched->kernel_builtin_enable || v->sched->kernel_builtin_disable);
}

static bool expects_scx_error(const struct variant *v)
{
	return v->test->expect_scx_bpf_error_contains || v->test->expect_scx_bpf_error_matches;
}

static bool has_prose(const struct variant *v)
{
	return vec_find(&v->test->payloads, output, "llm");
}

static bool has_writes(const struct variant *v)
{
	return v->test->bpf_map_write.count;
}

static const struct {
	bool (*is_so)(const struct variant *v);
	const char *why;
} refusals[] = {
	{ is_host_only, "it is host_only: it needs no VM, so its program runs anywhere as it is" },
	{ has_kernel_scheduler, "its scheduler is part of the kernel, and switching it on and off "
				"is only done in a VM of its own" },
	{ expects_scx_error, "it expects a certain error of its scheduler, which only `ktstr test` "
			     "reads out of the guest" },
	{ has_writes, "a host writes to its scheduler's variables, from outside of the guest" },
	{ has_prose, "figures of one of its payloads are found by a language model, after the "
		     "run, by `ktstr test`" },
};

static int check_exportable(const struct variant *v)
{
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
		if (refusals[i].is_so(v))
			return err_set(ENOTSUP, "test '%s' cannot be exported: %s", v->test->name,
				       refusals[i].why);
	return 0;
}

/* ---- contents ---- */

/* The test as declared: on its own machine, with its required flags. */
static const struct variant *find_variant(const struct variants *all, const struct probe_test *t)
{
	for (size_t i = 0; i < all->items.count; i++)
		if (all->items.items[i].test == t && !all->items.items[i].preset)
			return &all->items.items[i];
	return NULL;
}

/* Warns about shared libraries: the target machine may have other, incompatible versions. */
static int warn_about_libraries(const struct export_parts *p)
{
	const char *const programs[] = { p->variant->program->path, p->scheduler };
	_cleanup_(elf_closure_finish) struct elf_closure libraries = {};
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(programs) && rc == 0; i++) {
		if (!programs[i])
			continue;
		rc = elf_closure_add(&libraries, &(struct elf_search){}, programs[i]);
		rc = rc == -ENOEXEC ? 0 : rc;
	}
	if (rc < 0)
		return rc;
	if (libraries.count || p->includes->libraries.count)
		log_warn("run", "shared libraries are not packed: the machine that runs this has "
				"to have those that its programs need");
	return 0;
}

static int resolve_includes(const struct variant *v, struct include_files *out)
{
	struct wanted_files wanted;
	int rc = wanted_files_list(v, &wanted);

	return rc ?: include_files_resolve(out, wanted.items, wanted.count);
}

static int find_scheduler(const struct export_request *r, const struct variant *v, char **path)
{
	struct scheduler_search search = { .program = test_program_origin(v->program),
					   .profile = r->scheduler_profile };
	const char *source;

	*path = NULL;
	return v->sched ? scheduler_find(v->sched, &search, path, &source) : 0;
}

/* ---- the file ---- */

static int write_file(const struct export_request *r, const struct export_parts *p,
		      struct export_summary *out)
{
	_str_ struct str text = {};
	size_t script_bytes;
	int rc;

	out->path = r->output ? strdup(r->output) : str_fmt("%s.run", p->variant->test->name);
	rc = out->path ? export_add_script(p, &text) : err_no_memory();
	if (rc < 0)
		return rc;
	script_bytes = text.len;
	rc = export_add_archive(p, &text);
	if (rc < 0)
		return rc;
	out->archive_bytes = text.len - script_bytes;
	out->include_count = p->includes->count;
	return file_replace(out->path, text.s, text.len, 0755);
}

static int export_variant(const struct export_request *r, const struct variant *v,
			  struct export_summary *out)
{
	_cleanup_(include_files_finish) struct include_files includes = {};
	_cleanup_(project_commit_finish) struct project_commit commit = {};
	struct export_parts parts = { .variant = v, .includes = &includes };
	_free_ char *scheduler = NULL;
	int rc = check_exportable(v) ?: find_scheduler(r, v, &scheduler);

	rc = rc ?: resolve_includes(v, &includes);
	rc = rc ?: project_commit_read(&commit);
	if (rc < 0)
		return rc;
	parts.scheduler = scheduler;
	parts.commit = commit.text;
	rc = warn_about_libraries(&parts);
	return rc < 0 ? rc : write_file(r, &parts, out);
}

int export_test(const struct export_request *r, struct export_summary *out)
{
	_variants_ struct variants all = {};
	const struct test_program *program;
	const struct probe_test *test;
	const struct variant *v;
	int rc = test_programs_find(r->programs, r->test, &program, &test);

	*out = (struct export_summary){};
	rc = rc ?: test_program_check(program);
	if (rc == 0)
		rc = variants_list(&(struct variants_request){ .programs = r->programs,
							       .kernel_count = 1,
							       .arch = vm_arch_host() },
				   &all);
	if (rc < 0)
		return rc;
	v = find_variant(&all, test);
	return v ? export_variant(r, v, out) :
		   err_set(EINVAL, "test '%s' cannot be run as it is declared", r->test);
}
