// SPDX-License-Identifier: GPL-2.0-only
/* Builds a list of kernels from package indexes. */
#include "kernel/distro.h"
#include "kernel/parts.h"

/* Smaller linux-image packages are metapackages. */
#define MIN_IMAGE_SIZE (1 << 20)

/* Part of a package name after its kind, if that starts with a digit. */
static const char *release_in(const char *name, const char *kind)
{
	size_t len = strlen(kind);

	if (!str_starts(name, kind) || name[len] < '0' || name[len] > '9' || str_ends(name, "-dbg"))
		return NULL;
	return name + len;
}

struct index_reader {
	const char *suite;
	struct str *lines;
	char package[256], version[128], size[32];
};

static void note_field(const char *line, const char *field, char *to, size_t size)
{
	size_t len = strlen(field);

	if (strncmp(line, field, len) == 0 && strlen(line + len) < size)
		strcpy(to, line + len); /* NOLINT: the length was just checked */
}

static int take_index_line(void *context, char *line)
{
	struct index_reader *r = context;

	note_field(line, "Package: ", r->package, sizeof(r->package));
	note_field(line, "Version: ", r->version, sizeof(r->version));
	note_field(line, "Size: ", r->size, sizeof(r->size));
	if (*line)
		return 0;
	if ((release_in(r->package, "linux-binary-") || release_in(r->package, "linux-image-") ||
	     release_in(r->package, "linux-base-")) &&
	    r->version[0] && r->size[0])
		str_addf(r->lines, "%s %s %s %s\n", r->package, r->version, r->suite, r->size);
	r->package[0] = r->version[0] = r->size[0] = '\0';
	return r->lines->failed ? str_check(r->lines) : 0;
}

int distro_index_read(const char *path, const char *suite, struct str *lines)
{
	struct index_reader reader = { .suite = suite, .lines = lines };
	int rc = archive_read_lines(path, take_index_line, &reader);
	char end[] = "";

	return rc < 0 ? rc : take_index_line(&reader, end);
}

static const char *flavour_of(const char *release, const char *arch)
{
	_free_ char *cloud = str_fmt("-cloud-%s", arch);
	_free_ char *rt = str_fmt("-rt-%s", arch);

	if (cloud && str_ends(release, cloud))
		return "cloud";
	return rt && str_ends(release, rt) ? "rt" : "generic";
}

/* Preference; lower is better. */
static int rank(const struct distro_kernel *k)
{
	int rank = str_eq(k->flavour, "cloud") ? 0 : str_eq(k->flavour, "generic") ? 4 : 8;

	if (!str_starts(k->image.name, "linux-binary-"))
		rank += 2;
	return rank + str_ends(k->image.name, "-unsigned");
}

static int compare_kernels(const void *left, const void *right)
{
	const struct distro_kernel *a = left, *b = right;
	int order = kernel_version_compare(&b->version, &a->version);

	if (!order)
		order = rank(a) - rank(b);
	return order ? order : strcmp(b->image.version, a->image.version);
}

/* Splits "NAME VERSION SUITE SIZE" in place. */
static bool split_line(char *line, struct distro_package *p)
{
	char *save = NULL;
	char *size;

	p->name = strtok_r(line, " ", &save);
	p->version = strtok_r(NULL, " ", &save);
	p->suite = strtok_r(NULL, " ", &save);
	size = strtok_r(NULL, " ", &save);
	return size && parse_u64(size, &p->size) == 0 && !strtok_r(NULL, " ", &save);
}

/*
 * "7.0.13-1~bpo13+1" is Linux 7.0.13, and "7.0-1" is Linux 7.0; release candidates ("7.1~rc4-1")
 * are rejected.
 */
static bool read_version(const char *text, struct kernel_version *v)
{
	const char *end;

	return kernel_version_parse_start(text, v, &end) == 0 && !v->has_rc && *end != '~' &&
	       *end != '.';
}

static int add_image(struct distro_list *list, const struct distro_package *p, const char *arch)
{
	struct distro_kernel k = { .image = *p };
	const char *release = release_in(p->name, "linux-binary-");
	_free_ char *plain = NULL;
	_free_ char *end = str_fmt("-%s", arch);

	if (!release)
		release = release_in(p->name, "linux-image-");
	if (!release || p->size < MIN_IMAGE_SIZE || !read_version(p->version, &k.version))
		return 0;
	plain = strdup(release);
	if (!plain || !end)
		return err_no_memory();
	if (str_ends(plain, "-unsigned"))
		plain[strlen(plain) - strlen("-unsigned")] = '\0';
	if (!str_ends(plain, end))
		return 0;
	k.flavour = flavour_of(plain, arch);
	return vec_push(list, k);
}

/* Keeps only the best package of each version; no patch number means patch 0. */
static void drop_doubles(struct distro_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (!kept || kernel_version_compare(&list->items[kept - 1].version,
						    &list->items[i].version) != 0)
			list->items[kept++] = list->items[i];
	list->count = kept;
}

/* linux-base-RELEASE of the same version belongs to linux-binary-RELEASE. */
static void join_base(struct distro_list *list, const struct distro_package *p)
{
	const char *release = release_in(p->name, "linux-base-");

	vec_each_while(struct distro_kernel, k, list, release) {
		const char *own = release_in(k->image.name, "linux-binary-");

		if (own && str_eq(own, release) && str_eq(k->image.version, p->version))
			k->base = *p;
	}
}

static int each_line(char *text, struct distro_list *list, const char *arch)
{
	VEC(struct distro_package) packages = {};
	char *save = NULL;
	int rc = 0;

	for (char *line = strtok_r(text, "\n", &save); line && rc == 0;
	     line = strtok_r(NULL, "\n", &save)) {
		struct distro_package p;

		if (line[0] != '#' && split_line(line, &p))
			rc = vec_push(&packages, p);
	}
	for (size_t i = 0; i < packages.count && rc == 0; i++)
		rc = add_image(list, &packages.items[i], arch);
	if (rc == 0 && list->count) {
		vec_sort(list, compare_kernels);
		drop_doubles(list);
		for (size_t i = 0; i < packages.count; i++)
			join_base(list, &packages.items[i]);
	}
	free(packages.items);
	return rc;
}

int distro_list_parse(const char *text, const char *arch, struct distro_list *out)
{
	char *copy;
	int rc;

	*out = (struct distro_list){};
	copy = arena_copy(&out->arena, text, strlen(text));
	rc = copy ? each_line(copy, out, arch) : err_no_memory();
	if (rc < 0)
		distro_list_finish(out);
	return rc;
}

void distro_list_finish(struct distro_list *list)
{
	arena_finish(&list->arena);
	free(list->items);
	*list = (struct distro_list){};
}
