// SPDX-License-Identifier: GPL-2.0-only
/* Collects, sorts, hashes and writes the entries of an archive. */
#include "vm/initramfs_plan.h"

#include <xxhash.h>

/* To be changed whenever the same contents would be written differently. */
#define FORMAT "ktstr initramfs 1"

static char *copy(struct initramfs_plan *p, const char *text)
{
	return text ? arena_copy(&p->memory, text, strlen(text)) : NULL;
}

int initramfs_plan_add(struct initramfs_plan *p, const struct plan_entry *entry)
{
	struct plan_entry e = *entry;
	int rc;

	e.path = copy(p, entry->path);
	e.source = copy(p, entry->source);
	if (!e.path || (entry->source && !e.source))
		return err_no_memory();
	rc = vec_grow((void **)&p->entries, &p->cap, p->count + 1, sizeof(*p->entries));
	if (rc == 0)
		p->entries[p->count++] = e;
	return rc;
}

int initramfs_plan_add_libraries(struct initramfs_plan *p, const struct elf_closure *c)
{
	int rc = 0;

	array_each_while(const struct elf_library, l, c->libraries, c->count, rc == 0) {
		rc = initramfs_plan_add(p, &(struct plan_entry){ .rank = PLAN_MIDDLE,
								 .kind = PLAN_FILE,
								 .path = l->canonical,
								 .mode = 0755,
								 .source = l->canonical });
		if (rc == 0 && !str_eq(l->path, l->canonical))
			rc = initramfs_plan_add(p, &(struct plan_entry){ .rank = PLAN_MIDDLE,
									 .kind = PLAN_LINK,
									 .path = l->path,
									 .source = l->canonical });
	}
	return rc;
}

int initramfs_plan_add_includes(struct initramfs_plan *p, const struct include_files *f)
{
	int rc = 0;

	for (size_t i = 0; i < f->count && rc == 0; i++)
		rc = initramfs_plan_add(p, &(struct plan_entry){ .rank = PLAN_MIDDLE,
								 .kind = PLAN_FILE,
								 .path = f->files[i].guest_path,
								 .mode = f->files[i].mode,
								 .source = f->files[i].host_path });
	return rc ?: initramfs_plan_add_libraries(p, &f->libraries);
}

static int compare_entries(const void *a, const void *b)
{
	const struct plan_entry *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->path, y->path);
}

static bool is_same(const struct plan_entry *a, const struct plan_entry *b)
{
	return a->kind == b->kind && a->mode == b->mode && a->source && b->source &&
	       str_eq(a->source, b->source);
}

int initramfs_plan_settle(struct initramfs_plan *p)
{
	size_t kept = 0;

	if (p->count)
		qsort(p->entries, p->count, sizeof(*p->entries), compare_entries);
	for (size_t i = 0; i < p->count; i++) {
		const struct plan_entry *last = kept ? &p->entries[kept - 1] : NULL;

		if (last && str_eq(last->path, p->entries[i].path)) {
			if (!is_same(last, &p->entries[i]))
				return err_set(EEXIST, "two files want to be %s in the guest",
					       last->path);
			continue;
		}
		p->entries[kept++] = p->entries[i];
	}
	p->count = kept;
	return 0;
}

bool initramfs_plan_has_below(const struct initramfs_plan *p, const char *directory)
{
	size_t len = strlen(directory);

	for (size_t i = 0; i < p->count; i++)
		if (str_starts(p->entries[i].path, directory) && p->entries[i].path[len] == '/')
			return true;
	return false;
}

static int open_source(const struct plan_entry *e, struct map_file *file)
{
	int rc = map_file_open(file, e->source);

	if (rc < 0)
		return err_sys(-rc, "read %s", e->source);
	if (file->size > CPIO_MAX_FILE)
		return err_set(EFBIG,
			       "%s has %zu MiB; files for the guest must be smaller than 2048 MiB",
			       e->source, file->size >> 20);
	return 0;
}

static void hash_bytes(XXH3_state_t *state, const void *data, size_t len)
{
	uint64_t size = len;

	XXH3_128bits_update(state, &size, sizeof(size));
	if (len)
		XXH3_128bits_update(state, data, len);
}

static int hash_entry(XXH3_state_t *state, const struct plan_entry *e)
{
	_map_file_ struct map_file file = {};
	uint32_t kind_and_mode = (uint32_t)e->kind << 16 | (e->mode & 07777);
	int rc;

	hash_bytes(state, &kind_and_mode, sizeof(kind_and_mode));
	hash_bytes(state, e->path, strlen(e->path));
	switch (e->kind) {
	case PLAN_FILE:
		rc = open_source(e, &file);
		if (rc < 0)
			return rc;
		hash_bytes(state, file.data, file.size);
		break;
	case PLAN_BYTES:
		hash_bytes(state, e->data, e->len);
		break;
	case PLAN_LINK:
		hash_bytes(state, e->source, strlen(e->source));
		break;
	case PLAN_DIRECTORY:
		break;
	}
	return 0;
}

int initramfs_plan_hash(const struct initramfs_plan *p, char key[static INITRAMFS_KEY_SIZE])
{
	XXH3_state_t *state = XXH3_createState();
	XXH128_hash_t hash;
	int rc = 0;

	if (!state)
		return err_no_memory();
	XXH3_128bits_reset(state);
	hash_bytes(state, FORMAT, strlen(FORMAT));
	for (size_t i = 0; i < p->count && rc == 0; i++)
		rc = hash_entry(state, &p->entries[i]);
	hash = XXH3_128bits_digest(state);
	XXH3_freeState(state);
	snprintf(key, INITRAMFS_KEY_SIZE, "%016llx%016llx", ULL(hash.high64), ULL(hash.low64));
	return rc;
}

static int write_stripped(struct cpio *archive, const struct plan_entry *e,
			  const struct elf_strip *strip)
{
	int rc = cpio_begin(archive, e->path, e->mode, strip->size);

	for (size_t i = 0; i < strip->count && rc == 0; i++)
		rc = cpio_put(archive, strip->pieces[i].data, strip->pieces[i].len);
	return rc;
}

static int write_file(struct cpio *archive, const struct plan_entry *e)
{
	_map_file_ struct map_file file = {};
	_cleanup_(elf_strip_finish) struct elf_strip strip = {};
	int rc = open_source(e, &file);

	if (rc < 0)
		return rc;
	rc = elf_strip_plan(&strip, file.data, file.size);
	if (rc == 0)
		return write_stripped(archive, e, &strip);
	if (rc != -ENOENT)
		return rc;
	return cpio_add_bytes(archive, e->path, e->mode, file.data, file.size);
}

int initramfs_plan_write(const struct initramfs_plan *p, struct cpio *archive)
{
	int rc = 0;

	array_each_while(const struct plan_entry, e, p->entries, p->count, rc == 0) {
		switch (e->kind) {
		case PLAN_DIRECTORY:
			rc = cpio_add_directory(archive, e->path, e->mode);
			break;
		case PLAN_FILE:
			rc = write_file(archive, e);
			break;
		case PLAN_BYTES:
			rc = cpio_add_bytes(archive, e->path, e->mode, e->data, e->len);
			break;
		case PLAN_LINK:
			rc = cpio_add_link(archive, e->path, e->source);
			break;
		}
	}
	return rc;
}

static int write_nowhere(void *ctx _unused_, const void *data _unused_, size_t len _unused_)
{
	return 0;
}

int initramfs_plan_measure(const struct initramfs_plan *p, uint64_t *unpacked_bytes)
{
	_cleanup_(cpio_finish) struct cpio archive;
	int rc;

	cpio_init(&archive, (struct cpio_sink){ .write = write_nowhere });
	rc = initramfs_plan_write(p, &archive);
	*unpacked_bytes = archive.unpacked_bytes;
	return rc;
}

void initramfs_plan_finish(struct initramfs_plan *p)
{
	free(p->entries);
	arena_finish(&p->memory);
	*p = (struct initramfs_plan){};
}
