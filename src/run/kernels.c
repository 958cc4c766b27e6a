// SPDX-License-Identifier: GPL-2.0-only
/* Resolves --kernel to kernels with labels. Labels are checked before anything is built. */
#include "run/parts.h"

#include "kernel/build.h"
#include "kernel/cache.h"
#include "kernel/ident.h"

/* One requested kernel. */
struct wanted {
	char *id;  /* argument of kernel_resolve() */
	char *raw; /* label before it is sanitized */
};

struct wish_list {
	VEC(struct wanted) items;
};

static void wish_list_finish(struct wish_list *l)
{
	vec_release(&l->items, each, free(each->id), free(each->raw));
}

static int add_wish(struct wish_list *l, const char *id, const char *raw)
{
	struct wanted w = { .id = strdup(id), .raw = strdup(raw) };
	int rc = w.id && w.raw ? vec_push(&l->items, w) : err_no_memory();

	if (rc < 0) {
		free(w.id);
		free(w.raw);
	}
	return rc;
}

static int add_range(struct wish_list *l, const struct kernel_id *id,
		     const struct run_kernels_request *r)
{
	_version_list_ struct version_list versions = {};
	_free_ char *root = NULL;
	int rc = cache_root(&root);

	if (rc == 0)
		rc = kernel_range_expand(id,
					 &(struct range_opts){ .root = root,
							       .label = r->label,
							       .include_eol = r->include_eol },
					 &versions);
	for (size_t i = 0; i < versions.count && rc == 0; i++) {
		char version[KERNEL_VERSION_TEXT_SIZE];

		kernel_version_format(&versions.items[i], version);
		rc = add_wish(l, version, version);
	}
	return rc;
}

/* A modified tree is not identified by its commit; its label says so. */
static bool is_dirty_tree(const struct kernel_id *id)
{
	_source_tree_ struct source_tree tree = {};

	return id->kind == KERNEL_ID_PATH && source_tree_open(&tree, id->text) == 0 &&
	       tree.state != TREE_CLEAN;
}

static int add_id(struct wish_list *l, const struct kernel_id *id,
		  const struct run_kernels_request *r)
{
	_str_ struct str raw = {};
	int rc;

	if (id->kind == KERNEL_ID_RANGE)
		return add_range(l, id, r);
	rc = kernel_label_raw(&raw, id, is_dirty_tree(id)) ?: str_check(&raw);
	return rc ?: add_wish(l, id->text, str_get(&raw));
}

static int add_ids(struct wish_list *l, const struct run_kernels_request *r)
{
	_kernel_id_list_ struct kernel_id_list ids = {};
	int rc = 0;

	for (size_t i = 0; i < r->count && rc == 0; i++)
		rc = kernel_id_list_add(&ids, r->ids[i]);
	for (size_t i = 0; i < ids.count && rc == 0; i++)
		rc = add_id(l, &ids.items[i], r);
	return rc;
}

static int check_labels(const struct wish_list *l)
{
	_free_ const char **raw = calloc(l->items.count + 1, sizeof(*raw));

	if (!raw)
		return err_no_memory();
	for (size_t i = 0; i < l->items.count; i++)
		raw[i] = l->items.items[i].raw;
	return kernel_label_check(raw, l->items.count);
}

static int add_kernel(struct run_kernels *k, const struct run_kernels_request *r, const char *id,
		      const char *raw)
{
	struct kernel_resolve_opts opts = { .label = r->label, .fetch_when_absent = true };
	struct run_kernel kernel = { .base.lock_fd = -1 };
	_str_ struct str label = {};
	int rc = r->only_labels ? 0 : kernel_resolve(id, &opts, &kernel.image);

	if (rc < 0)
		return rc;
	if (!raw)
		raw = kernel.image.version ? kernel.image.version :
		      kernel.image.release ? kernel.image.release :
					     "unknown";
	kernel_label_sanitize(&label, raw);
	kernel.label = str_take(&label);
	rc = kernel.label ? vec_push(&k->items, kernel) : err_no_memory();
	if (rc < 0) {
		free(kernel.label);
		kernel_image_finish(&kernel.image);
	}
	return rc;
}

/* Fetches all kernels that are not available in parallel; later lookups find them in the cache. */
static int fetch_wishes(const struct wish_list *l, const char *label)
{
	_free_ const char **ids = calloc(l->items.count + 1, sizeof(*ids));

	if (!ids)
		return err_no_memory();
	for (size_t i = 0; i < l->items.count; i++)
		ids[i] = l->items.items[i].id;
	return kernels_fetch(ids, l->items.count, label);
}

int run_kernels_resolve(const struct run_kernels_request *r, struct run_kernels *out)
{
	_cleanup_(wish_list_finish) struct wish_list wishes = {};
	int rc = add_ids(&wishes, r);

	*out = (struct run_kernels){};
	rc = rc ?: check_labels(&wishes);
	if (rc == 0 && !r->only_labels)
		rc = fetch_wishes(&wishes, r->label);
	if (rc == 0 && wishes.items.count == 0)
		rc = add_kernel(out, r, NULL, NULL);
	for (size_t i = 0; i < wishes.items.count && rc == 0; i++)
		rc = add_kernel(out, r, wishes.items.items[i].id, wishes.items.items[i].raw);
	out->labels = calloc(out->items.count + 1, sizeof(*out->labels));
	if (rc == 0 && !out->labels)
		rc = err_no_memory();
	for (size_t i = 0; i < out->items.count && out->labels; i++)
		out->labels[i] = out->items.items[i].label;
	if (rc < 0)
		run_kernels_finish(out);
	return rc;
}

void run_kernels_finish(struct run_kernels *k)
{
	vec_release(&k->items, each, initramfs_base_finish(&each->base),
		    kernel_image_finish(&each->image), free(each->label));
	free(k->labels);
	*k = (struct run_kernels){};
}
