// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests to the host that looks at this guest: an instruction that does nothing, with what is
 * wanted in registers (trace/format.h). Whoever runs the guest hears it, or nobody does.
 */
#include "scenario/ctx.h"

enum request { REQUEST_SNAPSHOT, REQUEST_BEGIN };

#define NAME_MAX_CHARS 40

/* The host reads the name in one piece, which must not cross a page. */
struct request_name {
	_Alignas(64) char text[64];
};

static void ask(enum request what, const struct request_name *name)
{
#if defined(__x86_64__)
	__asm__ volatile("nopl 0x6b747374(%%rax)"
			 :
			 : "D"((uint64_t)0), "S"((uint64_t)(uintptr_t)name), "d"((uint64_t)what)
			 : "memory");
#else
	(void)what;
	(void)name;
#endif
}

static bool is_valid(const char *name)
{
	size_t len = name ? strlen(name) : 0;

	for (size_t i = 0; i < len; i++)
		if (name[i] <= ' ' || name[i] > '~')
			return false;
	return len > 0 && len <= NAME_MAX_CHARS;
}

int ktstr_capture_snapshot(struct ktstr_ctx *ctx, const char *name)
{
	struct request_name request = {};

	if (!is_valid(name))
		return err_set(EINVAL,
			       "snapshot '%s': a name has 1 to %d characters, no blanks and only "
			       "those of ASCII",
			       name ? name : "", NAME_MAX_CHARS);
	if (!ctx->has_snapshots)
		return err_set(
			ENOTSUP,
			"snapshot '%s': this run has none; they are taken of guests under a "
			"scheduler in sim, and of tests with post_vm or num_snapshots in tcg",
			name);
	memcpy(request.text, name, strlen(name));
	ask(REQUEST_SNAPSHOT, &request);
	return 0;
}

void ctx_tell_begin(const struct ktstr_ctx *ctx)
{
	struct request_name none = {};

	if (ctx->has_snapshots)
		ask(REQUEST_BEGIN, &none);
}
