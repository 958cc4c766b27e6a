// SPDX-License-Identifier: GPL-2.0-only
/* Compiles a tree and stores the result. */
#include "kernel/parts.h"

int build_init(struct build *b, const char *root, const struct kernel_build_opts *opts)
{
	int rc = 0;

	*b = (struct build){ .root = root, .opts = opts };
	if (opts->extra_kconfig) {
		rc = file_read(opts->extra_kconfig, &b->extra);
		kconfig_hash_text(str_get(&b->extra), b->extra.len, b->extra_hash);
	}
	return rc;
}

void build_finish(struct build *b)
{
	str_finish(&b->extra);
}

int build_compile(const struct build *b, const struct source_tree *tree, bool persists)
{
	struct make_job job = { .tree = tree->path,
				.label = b->opts->label,
				.extra_kconfig = b->extra.len ? str_get(&b->extra) : NULL,
				.is_verbose = b->opts->is_verbose };
	_build_cpus_ struct build_cpus cpus = {};
	int rc = make_check_tools(tree) ?: build_cpus_take(&cpus, b->opts->cpu_cap);

	job.cpus = cpus.count;
	if (rc == 0 && b->opts->clean)
		rc = make_clean(&job);
	rc = rc ?: make_configure(&job);
	if (rc < 0)
		return rc;
	log_note("%s: building %s on %zu CPUs", b->opts->label, tree->path, job.cpus);
	rc = make_compile(&job);
	if (rc == 0 && persists)
		make_compile_commands(&job);
	return rc;
}

static void fill_facts(struct kernel_meta *meta, const char *tree, const char *config)
{
	_free_ char *vmlinux = str_fmt("%s/vmlinux", tree);
	_str_ struct str scx = {};
	struct vmlinux_facts facts = {};
	struct stat st;

	if (vmlinux && stat(vmlinux, &st) == 0 && vmlinux_look_file(vmlinux, &facts) == 0) {
		meta->has_vmlinux = true;
		meta->vmlinux_stripped = true;
		meta->has_vmlinux_origin = true;
		meta->source_vmlinux_size = (uint64_t)st.st_size;
		meta->source_vmlinux_mtime_secs = (uint64_t)st.st_mtime;
	}
	meta->btf = facts.btf;
	meta->unsound_kfuncs = facts.unsound_kfuncs;
	meta->has_scx = facts.has_scx;
	if (meta->has_scx == KERNEL_UNKNOWN)
		meta->has_scx = kconfig_value(config, "CONFIG_SCHED_CLASS_EXT", &scx) &&
						str_eq(str_get(&scx), "y") ?
					KERNEL_YES :
					KERNEL_NO;
}

/* Sets what all builds have in common; the caller sets the source. */
static int fill_meta(const struct build *b, struct kernel_meta *meta,
		     const struct source_tree *tree)
{
	_free_ char *path = str_fmt("%s/.config", tree->path);
	char now[CLOCK_TEXT_SIZE], hash[KCONFIG_HASH_SIZE], version[KERNEL_VERSION_TEXT_SIZE];
	_str_ struct str config = {};
	int rc = path ? file_read(path, &config) : err_no_memory();

	if (rc < 0)
		return rc;
	clock_format_utc(clock_wall_ns(), 0, now);
	kconfig_hash_text(str_get(&config), config.len, hash);
	if (!meta->version && tree->has_version) {
		kernel_version_format(&tree->version, version);
		meta->version = kernel_meta_text(meta, version);
	}
	meta->arch = cache_arch();
	meta->image_name = cache_image_name();
	meta->config_hash = kernel_meta_text(meta, hash);
	meta->built_at = kernel_meta_text(meta, now);
	meta->kconfig_hash = kconfig_hash();
	meta->extra_kconfig_hash = b->extra_hash[0] ? b->extra_hash : NULL;
	fill_facts(meta, tree->path, str_get(&config));
	return 0;
}

/* Copies files of the tree into a directory that becomes the entry. */
static int copy_files(const char *tree, const char *entry, struct kernel_meta *meta)
{
	_free_ char *image = str_fmt("%s/%s", tree, image_below_tree());
	_free_ char *image_copy = str_fmt("%s/%s", entry, cache_image_name());
	_free_ char *vmlinux = str_fmt("%s/vmlinux", tree);
	_free_ char *vmlinux_copy = str_fmt("%s/vmlinux", entry);
	_free_ char *config = str_fmt("%s/.config", tree);
	_free_ char *config_copy = str_fmt("%s/config", entry);
	struct bzimage header;
	int rc;

	if (!image || !image_copy || !vmlinux || !vmlinux_copy || !config || !config_copy)
		return err_no_memory();
	rc = bzimage_check_file(image, &header) ?: file_copy(image, image_copy, 0644);
	rc = rc ?: file_copy(config, config_copy, 0644);
	if (rc == 0 && meta->has_vmlinux)
		rc = vmlinux_strip(vmlinux, vmlinux_copy);
	if (rc == 0 && header.release[0])
		meta->release = kernel_meta_text(meta, header.release);
	return rc;
}

int build_store(const struct build *b, const struct source_tree *tree, const char *key,
		struct kernel_meta *meta, struct kernel_image *out)
{
	_cache_temp_ struct cache_temp entry = { .fd = -1 };
	int rc = fill_meta(b, meta, tree) ?: cache_temp_make(&entry, b->root);

	rc = rc ?: copy_files(tree->path, entry.path, meta);
	rc = rc ?: cache_store(&entry, b->root, key, meta);
	if (rc == 0)
		log_note("%s: %s is in the cache", b->opts->label, key);
	return rc < 0 ? rc : cache_open(b->root, key, out);
}

bool build_find_cached(const struct build *b, const char *key, struct kernel_image *out)
{
	_cache_entry_ struct cache_entry entry = {};
	bool is_current;

	if (b->opts->force || cache_entry_load(b->root, key, &entry) < 0) {
		err_clear();
		return false;
	}
	is_current = entry.fault == CACHE_OK &&
		     cache_kconfig_status(&entry.meta) == KCONFIG_MATCHES;
	return is_current && cache_open(b->root, key, out) == 0;
}
