// SPDX-License-Identifier: GPL-2.0-only
/* Reads the kernel's BTF and the scheduler's casts, once. */
#include "watch/cast.h"

static void read_casts(struct known_types *k, const char *scheduler)
{
	uint64_t begin = clock_mono_ns();
	int rc = map_file_open_whole(&k->scheduler, scheduler);

	rc = rc ?: cast_analysis(k->scheduler.data, k->scheduler.size, k->types.kernel, &k->casts);
	if (rc == 0)
		k->types.casts = &k->casts;
	log_debug("watch", "%s: %zu of %zu fields of 64 bits are pointers, found in %llu us%s%s",
		  scheduler, k->casts.items.count, k->casts.candidates,
		  ULL((clock_mono_ns() - begin) / 1000), rc < 0 ? ": " : "",
		  rc < 0 ? err_text(rc) : "");
	err_clear();
}

const struct chase_types *known_types_get(struct known_types *k, const char *vmlinux,
					  const char *scheduler)
{
	if (k->is_read)
		return &k->types;
	k->is_read = true;
	if (btf_file_open(&k->kernel, vmlinux) == 0)
		k->types.kernel = &k->kernel.types;
	err_clear();
	if (scheduler)
		read_casts(k, scheduler);
	return &k->types;
}

void known_types_finish(struct known_types *k)
{
	casts_finish(&k->casts);
	map_file_finish(&k->scheduler);
	btf_file_close(&k->kernel);
	*k = (struct known_types){};
}
