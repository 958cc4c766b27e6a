// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr kernel list`: lists the cache, or the versions of a range. */
#include "cli/table.h"
#include "kernel/build.h"
#include "kernel/cache.h"
#include "kernel/distro.h"
#include "kernel/ident.h"

/* Data of the listing besides the entries. */
struct listing {
	struct cache_list list;
	const struct kernel_releases *releases; /* NULL: unknown, see the error */
	char *error;
};

enum tag { TAG_STALE, TAG_UNTRACKED, TAG_EXTRA, TAG_EOL, TAG_CORRUPT, TAG_UNSOUND, TAG_COUNT };

/* Mark after a row, and the line that explains it once. */
static const struct {
	const char *mark, *legend;
} tags[TAG_COUNT] = {
	[TAG_STALE] = { " (stale kconfig)",
			"(stale kconfig): built with another ktstr.kconfig; `kernel build` "
			"rebuilds it" },
	[TAG_UNTRACKED] = { " (untracked kconfig)",
			    "(untracked kconfig): built with an unknown ktstr.kconfig; `kernel "
			    "build --force` rebuilds it" },
	[TAG_EXTRA] = { " (extra kconfig)", "(extra kconfig): built with --extra-kconfig" },
	[TAG_EOL] = { " (EOL)", "(EOL): kernel.org does not list this series any more" },
	[TAG_CORRUPT] = { NULL, "(corrupt): never used; `kernel clean --corrupt-only --force` "
				"removes it" },
	[TAG_UNSOUND] = { NULL, "unsound: sched_ext schedulers that call these kfuncs cannot be "
				"loaded in this kernel" },
};

static enum kernel_answer is_eol(const struct listing *l, const struct kernel_meta *m)
{
	struct kernel_version v;

	if (!l->releases || !m->version || kernel_version_parse(m->version, &v) < 0)
		return KERNEL_UNKNOWN;
	return kernel_releases_newest(l->releases, &v) ? KERNEL_NO : KERNEL_YES;
}

static unsigned int tags_of(const struct listing *l, const struct cache_entry *e)
{
	enum kconfig_status status;
	unsigned int set = 0;

	if (e->fault != CACHE_OK)
		return 1u << TAG_CORRUPT;
	status = cache_kconfig_status(&e->meta);
	set |= (unsigned int)(status == KCONFIG_STALE) << TAG_STALE;
	set |= (unsigned int)(status == KCONFIG_UNTRACKED) << TAG_UNTRACKED;
	set |= (unsigned int)(e->meta.extra_kconfig_hash != NULL) << TAG_EXTRA;
	set |= (unsigned int)(is_eol(l, &e->meta) == KERNEL_YES) << TAG_EOL;
	set |= (unsigned int)(e->meta.btf == KERNEL_BTF_UNSOUND) << TAG_UNSOUND;
	return set;
}

static void add_cells(struct str *out, const struct cache_entry *e, unsigned int set)
{
	const struct kernel_meta *m = &e->meta;
	char btf[KERNEL_BTF_TEXT_SIZE];

	if (e->fault != CACHE_OK) {
		str_addf(out, "  %-48s (corrupt: %s)", e->key,
			 e->reason ? e->reason : cache_fault_token(e->fault));
		return;
	}
	kernel_btf_format(m->btf, m->unsound_kfuncs, btf);
	str_addf(out, "  %-48s %-12s %-8s %-7s %-20s %-3s %s", e->key,
		 m->version ? m->version : "-", kernel_source_text(m->source), m->arch, m->built_at,
		 kernel_answer_text(m->has_scx), btf);
	for (size_t i = 0; i < TAG_COUNT; i++)
		if (set & 1u << i && tags[i].mark)
			str_add(out, tags[i].mark);
}

/* Keys are directory names, and the rest comes from metadata.json: both are escaped. */
static void add_row(struct str *out, const struct cache_entry *e, unsigned int set)
{
	_str_ struct str cells = {};

	add_cells(&cells, e, set);
	text_add_printable(out, str_get(&cells));
	str_addc(out, '\n');
}

static int print_table(const struct listing *l)
{
	_str_ struct str out = {};
	unsigned int seen = 0;
	int rc;

	if (!l->list.count) {
		printf("no cached kernels; `kernel build` compiles one, `kernel fetch` gets one "
		       "ready-made\n");
		return 0;
	}
	if (l->error)
		log_note("no EOL marks: %s", l->error);
	str_addf(&out, "  %-48s %-12s %-8s %-7s %-20s %-3s %s\n", "KEY", "VERSION", "SOURCE",
		 "ARCH", "BUILT", "SCX", "BTF");
	for (size_t i = 0; i < l->list.count; i++) {
		unsigned int set = tags_of(l, &l->list.items[i]);

		add_row(&out, &l->list.items[i], set);
		seen |= set;
	}
	rc = output_text(&out) ?: output_flush();
	for (size_t i = 0; i < TAG_COUNT; i++)
		if (seen & 1u << i)
			log_note("%s", tags[i].legend);
	return rc;
}

static void put_answer(struct json *j, const char *key, enum kernel_answer answer)
{
	json_key(j, key);
	answer == KERNEL_UNKNOWN ? json_null(j) : json_bool(j, answer == KERNEL_YES);
}

static void put_valid(struct json *j, const struct listing *l, const struct cache_entry *e)
{
	const struct kernel_meta *m = &e->meta;
	_free_ char *image = str_fmt("%s/%s", e->path, m->image_name);
	char btf[KERNEL_BTF_TEXT_SIZE];

	kernel_btf_format(m->btf, m->unsound_kfuncs, btf);
	json_put_string(j, "version", m->version);
	json_put_string(j, "source", kernel_source_text(m->source));
	json_put_string(j, "arch", m->arch);
	json_put_string(j, "built_at", m->built_at);
	json_put_string(j, "ktstr_kconfig_hash", m->kconfig_hash);
	json_put_string(j, "kconfig_status", kconfig_status_text(cache_kconfig_status(m)));
	json_put_string(j, "extra_kconfig_hash", m->extra_kconfig_hash);
	put_answer(j, "eol", is_eol(l, m));
	json_put_string(j, "config_hash", m->config_hash);
	json_put_string(j, "image_name", m->image_name);
	json_put_string(j, "image_path", image);
	json_put_bool(j, "has_vmlinux", m->has_vmlinux);
	json_put_bool(j, "vmlinux_stripped", m->vmlinux_stripped);
	json_put_string(j, "release", m->release);
	put_answer(j, "scx", m->has_scx);
	json_put_string(j, "btf", m->btf == KERNEL_BTF_UNKNOWN ? NULL : btf);
	json_put_u64(j, "unsound_kfuncs", m->unsound_kfuncs);
	json_put_string(j, "package", m->package);
	json_put_string(j, "package_version", m->package_version);
	json_put_string(j, "suite", m->suite);
}

static int print_json(const struct listing *l)
{
	_str_ struct str out = {};
	struct json j;

	json_document(&j, &out);
	json_put_string(&j, "current_ktstr_kconfig_hash", kconfig_hash());
	json_put_string(&j, "active_prefixes_fetch_error", l->error);
	json_put_array(&j, "entries");
	vec_each(const struct cache_entry, e, &l->list) {
		json_object(&j);
		json_put_string(&j, "key", e->key);
		json_put_string(&j, "path", e->path);
		if (e->fault == CACHE_OK) {
			put_valid(&j, l, e);
		} else {
			json_put_string(&j, "error", e->reason);
			json_put_string(&j, "error_kind", cache_fault_token(e->fault));
		}
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	return output_json(&out);
}

static int print_range_json(const char *text, const struct kernel_id *range,
			    const struct version_list *versions)
{
	char version[KERNEL_VERSION_TEXT_SIZE];
	_str_ struct str out = {};
	struct json j;

	json_document(&j, &out);
	json_put_string(&j, "range", text);
	kernel_version_format(&range->version, version);
	json_put_string(&j, "start", version);
	kernel_version_format(&range->range_end, version);
	json_put_string(&j, "end", version);
	json_put_array(&j, "versions");
	for (size_t i = 0; i < versions->count; i++) {
		kernel_version_format(&versions->items[i], version);
		json_string(&j, version);
	}
	json_array_end(&j);
	json_object_end(&j);
	return output_json(&out);
}

static int list_range(const struct cli_call *call, const char *text)
{
	struct range_opts opts = { .label = call->program,
				   .include_eol = cli_flag(call, "include-eol") };
	_version_list_ struct version_list versions = {};
	_kernel_id_ struct kernel_id range = {};
	_free_ char *root = NULL;
	int rc = kernel_id_parse(text, &range);

	if (rc == 0 && range.kind != KERNEL_ID_RANGE)
		rc = err_set(EINVAL, "'%s' is not a range: write START..END, such as 6.12..6.16",
			     text);
	/* The cache is only used if kernel.org is unavailable. */
	if (rc == 0 && cache_root(&root) == 0)
		opts.root = root;
	rc = rc ?: kernel_range_expand(&range, &opts, &versions);
	if (rc < 0)
		return rc;
	if (cli_flag(call, "json"))
		return print_range_json(text, &range, &versions);
	for (size_t i = 0; i < versions.count; i++) {
		char version[KERNEL_VERSION_TEXT_SIZE];

		kernel_version_format(&versions.items[i], version);
		printf("%s\n", version);
	}
	return 0;
}

/* The cache can be listed without the release index. */
static void read_releases(struct listing *l)
{
	int rc = kernel_releases_get(&l->releases);

	if (rc == 0)
		return;
	l->releases = NULL;
	l->error = str_fmt("%s", err_text(rc));
}

static int cmd_kernel_list_run(const struct cli_call *call)
{
	const char *range = cli_text(call, "range");
	struct listing l = {};
	_free_ char *root = NULL;
	int rc;

	if (range)
		return list_range(call, range);
	rc = cache_root(&root);
	if (rc < 0)
		return rc;
	if (!cli_flag(call, "quiet"))
		fprintf(stderr, "cache: %s\n", root);
	rc = cache_list_read(root, &l.list);
	if (rc == 0 && l.list.count)
		read_releases(&l);
	if (rc == 0)
		rc = cli_flag(call, "json") ? print_json(&l) : print_table(&l);
	cache_list_finish(&l.list);
	free(l.error);
	return rc;
}

/* clang-format off */
const struct cli_cmd cmd_kernel_list = {
	.name = "list", .summary = "list cached kernels",
	.about = "Lists the kernels in the cache, newest first. SCX shows whether the kernel has "
		 "sched_ext, BTF whether its type information allows BPF programs to call "
		 "sched_ext kfuncs: if the BTF is unsound, schedulers that call them cannot be "
		 "loaded.",
	.params = CLI_PARAMS(
		CLI_JSON,
		{ .name = "range", .alias = "kernel", .kind = CLI_STRING, .value = "START..END",
		  .help = "print the releases in a range instead of the cache" },
		{ .name = "include-eol", .needs = "range",
		  .help = "include series that kernel.org no longer lists" }),
	.examples = CLI_EXAMPLES(
		{ "kernel list", "what is in the cache" },
		{ "kernel list --range 6.12..6.16", "which releases a range stands for" }),
	.run = cmd_kernel_list_run,
};
/* clang-format on */
