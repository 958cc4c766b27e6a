// SPDX-License-Identifier: GPL-2.0-only
/* Downloads images from the archive into the cache. */
#include "kernel/distro.h"

#include "kernel/parts.h"

#define LIST_AGE_S (24L * 60 * 60)
#define UPDATE_LOCK_NS (120 * NSEC_PER_SEC)

/* Number of images of a series to try before an unsound one is used. */
#define MAX_LOOKS 8

/* Reads the cached list, if it is of today and of this archive. */
static bool read_list(const struct apt *a, const char *path, struct str *text)
{
	_free_ char *head = str_fmt("# %s\n", a->url);

	return head && file_read_fresh(path, LIST_AGE_S, text) && str_starts(str_get(text), head);
}

static int read_indexes(const struct apt *a, struct str *lines)
{
	_str_ struct str indexes = {};
	char *save = NULL;
	int rc = apt_indexes(a, &indexes);

	for (char *line = indexes.s ? strtok_r(indexes.s, "\n", &save) : NULL; line && rc == 0;
	     line = strtok_r(NULL, "\n", &save)) {
		char *path = strchr(line, ' ');

		if (!path || access(path + 1, R_OK) < 0)
			continue;
		*path = '\0';
		rc = distro_index_read(path + 1, line, lines);
	}
	return rc;
}

/*
 * Reads the index files. A missing suite makes apt fail, although the others may have been updated.
 */
static int read_archive(const struct apt *a, const char *label, struct str *text)
{
	int updated = apt_update(a, label);
	_free_ char *why = updated < 0 ? strdup(err_text(updated)) : NULL;
	size_t head = text->len;
	int rc = updated == -EINTR ? updated : read_indexes(a, text);

	if (rc == 0 && updated < 0 && text->len == head)
		return err_set(-updated, "%s", why ? why : "out of memory");
	if (rc == 0 && text->len == head)
		return err_set(ENOENT, "the archive %s holds no kernels", a->url);
	if (rc == 0 && updated < 0)
		log_warn("kernel", "%s; using what is there", why ? why : "out of memory");
	return rc < 0 ? rc : str_check(text);
}

/* One process updates the list at a time; others wait and use the new list. */
static int refresh_list(const struct apt *a, const char *root, const char *path, const char *label,
			struct str *text)
{
	_close_ int lock = cache_lock(root, "apt-archive", true, UPDATE_LOCK_NS);
	int rc;

	if (lock < 0)
		return lock;
	str_reset(text);
	str_addf(text, "# %s\n", a->url);
	rc = read_archive(a, label, text);
	return rc < 0 ? rc : file_replace(path, str_get(text), text->len, 0644);
}

static int get_list(const struct apt *a, const char *root, const char *label, bool refresh,
		    struct distro_list *out)
{
	_free_ char *path = str_fmt("%s/candidates", a->directory);
	_str_ struct str text = {};
	int rc = 0;

	if (!path)
		return err_no_memory();
	if (refresh || !read_list(a, path, &text))
		rc = refresh_list(a, root, path, label, &text);
	return rc < 0 ? rc : distro_list_parse(str_get(&text), apt_arch(), out);
}

int distro_list_get(const char *root, const char *label, struct distro_list *out)
{
	_apt_ struct apt a = {};
	int rc = apt_open(&a, root);

	*out = (struct distro_list){};
	return rc < 0 ? rc : get_list(&a, root, label, false, out);
}

static char *key_of(const struct distro_kernel *k)
{
	char version[KERNEL_VERSION_TEXT_SIZE];

	kernel_version_format(&k->version, version);
	return str_fmt("%s-debian-%s-%s", version, k->flavour, cache_arch());
}

void kernel_meta_image(struct kernel_meta *meta, const struct bzimage *image,
		       const struct vmlinux_facts *facts)
{
	char now[CLOCK_TEXT_SIZE];

	clock_format_utc(clock_wall_ns(), 0, now);
	meta->arch = cache_arch();
	meta->image_name = cache_image_name();
	meta->built_at = kernel_meta_text(meta, now);
	meta->release = image->release[0] ? kernel_meta_text(meta, image->release) : NULL;
	meta->vmlinux_stripped = !image->payload_length;
	meta->has_scx = facts->has_scx;
	meta->btf = facts->btf;
	meta->unsound_kfuncs = facts->unsound_kfuncs;
}

static void fill_meta(struct kernel_meta *meta, const struct distro_kernel *k,
		      const struct bzimage *image, const struct vmlinux_facts *facts)
{
	char version[KERNEL_VERSION_TEXT_SIZE];

	kernel_version_format(&k->version, version);
	meta->version = kernel_meta_text(meta, version);
	meta->source = KERNEL_SOURCE_DISTRO;
	meta->package = kernel_meta_text(meta, k->image.name);
	meta->package_version = kernel_meta_text(meta, k->image.version);
	meta->suite = kernel_meta_text(meta, k->image.suite);
	kernel_meta_image(meta, image, facts);
}

/* The config is optional: an image boots without it. 0, or -EINTR. */
static int take_config(const struct apt *a, const struct distro_kernel *k, const char *work,
		       const char *target, const char *what)
{
	struct archive_member member = { { "./usr/lib/modules/*/config" }, target, false };
	_str_ struct str package = {};
	int rc;

	if (!k->base.name || access(target, F_OK) == 0)
		return 0;
	rc = apt_download(a, k->base.name, k->base.version, k->base.size, work, what, &package);
	rc = rc ?: archive_unpack_deb(str_get(&package), &member, 1);
	if (rc == -EINTR)
		return rc;
	if (rc < 0)
		log_warn("kernel", "no config for this kernel: %s", err_text(rc));
	return 0;
}

/* Downloads into work and unpacks into entry. */
static int unpack_kernel(const struct apt *a, const struct distro_kernel *k, const char *work,
			 const char *entry, const char *label)
{
	char version[KERNEL_VERSION_TEXT_SIZE];
	_free_ char *image = str_fmt("%s/%s", entry, cache_image_name());
	_free_ char *config = str_fmt("%s/config", entry);
	_free_ char *what = NULL;
	struct archive_member members[] = {
		{ { "./boot/config-*" }, config, false },
		{ { "./boot/vmlinuz-*", "./usr/lib/modules/*/vmlinuz" }, image, false },
	};
	_str_ struct str package = {};
	int rc;

	kernel_version_format(&k->version, version);
	what = str_fmt("%s: fetching Linux %s (MiB)", label, version);
	if (!image || !config || !what)
		return err_no_memory();
	rc = apt_download(a, k->image.name, k->image.version, k->image.size, work, what, &package);
	rc = rc ?: archive_unpack_deb(str_get(&package), members, ARRAY_SIZE(members));
	if (rc == 0 && !members[1].found)
		rc = err_set(EINVAL, "package %s holds no kernel image", k->image.name);
	return rc < 0 ? rc : take_config(a, k, work, config, what);
}

int entry_look_inside(const char *entry, struct bzimage *image, struct vmlinux_facts *facts,
		      bool *has_vmlinux)
{
	_free_ char *path = str_fmt("%s/%s", entry, cache_image_name());
	_free_ char *vmlinux = str_fmt("%s/vmlinux", entry);
	int rc;

	if (!path || !vmlinux)
		return err_no_memory();
	*facts = (struct vmlinux_facts){};
	rc = bzimage_check_file(path, image);
	rc = rc ?: bzimage_extract(path, vmlinux);
	rc = rc ?: vmlinux_look_file(vmlinux, facts);
	*has_vmlinux = rc == 0;
	return rc;
}

static int fetch_one(const struct apt *a, const char *root, const struct distro_kernel *k,
		     const char *label, struct vmlinux_facts *facts)
{
	_cache_temp_ struct cache_temp work = { .fd = -1 }, entry = { .fd = -1 };
	_kernel_meta_ struct kernel_meta meta = {};
	_free_ char *key = key_of(k);
	struct bzimage image = {};
	int rc = key ? cache_temp_make(&work, root) : err_no_memory();

	rc = rc ?: cache_temp_make(&entry, root);
	rc = rc ?: unpack_kernel(a, k, work.path, entry.path, label);
	rc = rc ?: entry_look_inside(entry.path, &image, facts, &meta.has_vmlinux);
	if (rc < 0)
		return rc;
	fill_meta(&meta, k, &image, facts);
	return cache_store(&entry, root, key, &meta);
}

/* Reads the facts of an existing entry; false if it has to be downloaded. */
static bool is_cached(const char *root, const struct distro_kernel *k, struct vmlinux_facts *facts)
{
	_cache_entry_ struct cache_entry entry = {};
	_free_ char *key = key_of(k);

	if (!key || cache_entry_load(root, key, &entry) < 0 || entry.fault != CACHE_OK ||
	    !entry.meta.package_version || !str_eq(entry.meta.package_version, k->image.version)) {
		err_clear();
		return false;
	}
	*facts = (struct vmlinux_facts){ .has_scx = entry.meta.has_scx,
					 .btf = entry.meta.btf,
					 .unsound_kfuncs = entry.meta.unsound_kfuncs };
	return true;
}

static int no_such_kernel(const struct kernel_version *wanted)
{
	char version[KERNEL_VERSION_TEXT_SIZE];

	kernel_version_format(wanted, version);
	return err_set(ENOENT, "there is no image of Linux %s in the Debian archive", version);
}

struct search {
	const struct apt *apt;
	const char *root, *label;
	bool force;
	const struct distro_kernel *fallback; /* newest unsound one */
	size_t looks;
};

/*
 * If several processes need the same kernel, one downloads it. The others must not replace its
 * entry: they would have to wait until it is unused.
 */
static int fetch_once(const struct search *s, const struct distro_kernel *k,
		      struct vmlinux_facts *facts)
{
	_free_ char *key = key_of(k);
	_free_ char *name = key ? str_fmt("fetch-%s", key) : NULL;
	_close_ int lock = name ? cache_lock(s->root, name, true, UPDATE_LOCK_NS) : err_no_memory();

	if (lock < 0)
		return lock;
	if (!s->force && is_cached(s->root, k, facts))
		return 0;
	return fetch_one(s->apt, s->root, k, s->label, facts);
}

/* 1: use this one; 0: try the next; or an error. */
static int consider(struct search *s, const struct distro_kernel *k)
{
	char version[KERNEL_VERSION_TEXT_SIZE], btf[KERNEL_BTF_TEXT_SIZE];
	struct vmlinux_facts facts = {};
	int rc = 0;

	s->looks++;
	if (s->force || !is_cached(s->root, k, &facts))
		rc = fetch_once(s, k, &facts);
	if (rc < 0)
		return rc;
	/* Sound, or without sched_ext, where BTF does not matter: use it. */
	if (facts.btf != KERNEL_BTF_UNSOUND)
		return 1;
	kernel_version_format(&k->version, version);
	kernel_btf_format(facts.btf, facts.unsound_kfuncs, btf);
	log_note("%s: Linux %s: BTF %s, no sched_ext scheduler can be loaded in it", s->label,
		 version, btf);
	if (!s->fallback)
		s->fallback = k;
	return 0;
}

static int choose(struct search *s, const struct distro_list *list,
		  const struct kernel_version *wanted, char **key)
{
	vec_each_while(const struct distro_kernel, k, list, s->looks < MAX_LOOKS) {
		int rc = kernel_version_is_wanted(&k->version, wanted) ? consider(s, k) : 0;

		if (rc < 0)
			return rc;
		if (rc == 0)
			continue;
		*key = key_of(k);
		return *key ? 0 : err_no_memory();
	}
	if (!s->fallback && wanted)
		return no_such_kernel(wanted);
	if (!s->fallback)
		return err_set(ENOENT, "the Debian archive holds no kernel image for %s",
			       apt_arch());
	*key = key_of(s->fallback);
	return *key ? 0 : err_no_memory();
}

/* One pass over the list; -EIO if a package in it is not available. */
static int try_fetch(const char *root, const struct kernel_version *wanted, bool force,
		     const char *label, bool refresh, char **key)
{
	_distro_list_ struct distro_list list = {};
	_apt_ struct apt a = {};
	struct search s = { .apt = &a, .root = root, .label = label, .force = force };
	int rc = apt_open(&a, root) ?: get_list(&a, root, label, refresh, &list);

	return rc < 0 ? rc : choose(&s, &list, wanted, key);
}

/* An exact version in the cache needs no archive; a series may have a newer patch. */
static bool find_exact(const char *root, const struct kernel_version *wanted, char **key)
{
	_cache_list_ struct cache_list list = {};

	if (!wanted || kernel_version_is_series(wanted) || cache_list_read(root, &list) < 0)
		return false;
	vec_each_while(const struct cache_entry, e, &list, !*key) {
		struct kernel_version v;

		if (e->fault == CACHE_OK && e->meta.source == KERNEL_SOURCE_DISTRO &&
		    str_eq(e->meta.arch, cache_arch()) && e->meta.version &&
		    kernel_version_parse(e->meta.version, &v) == 0 &&
		    kernel_version_compare(&v, wanted) == 0)
			*key = strdup(e->key);
	}
	return *key;
}

int distro_fetch(const char *root, const struct kernel_version *wanted, bool force,
		 const char *label, char **key)
{
	int rc;

	*key = NULL;
	if (wanted && wanted->has_rc)
		return err_set(ENOENT, "the Debian archive has no release candidates");
	if (!force && find_exact(root, wanted, key))
		return 0;
	rc = try_fetch(root, wanted, force, label, false, key);
	if (rc != -EIO)
		return rc;
	/* The package has been removed: the index is out of date. */
	log_note("%s: %s; reading the index again", label, err_text(rc));
	apt_forget(root);
	return try_fetch(root, wanted, force, label, true, key);
}
