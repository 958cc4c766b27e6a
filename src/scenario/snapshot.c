// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests to the host: an instruction without effect, with the request in registers
 * (trace/format.h), which the simulator recognises. Under KVM, the CPU executes it without
 * notice: there the request is a frame of the channel, and the guest waits until the host
 * has read it. What a step did is sent in a frame, too, without waiting.
 */
#include "channel/channel.h"
#include "check/result.h"
#include "scenario/ctx.h"

enum request { REQUEST_SNAPSHOT, REQUEST_BEGIN };

#define NAME_MAX_CHARS 40

/* The host reads the name in one piece, so it must not cross a page. */
struct request_name {
	_Alignas(64) char text[64];
};

static void ask_by_instruction(enum request what, const struct request_name *name)
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

static struct channel_writer channel;

static int join_channel(void)
{
	return channel.header ? 0 : channel_join(&channel);
}

static int ask_by_channel(enum request what, const struct request_name *name)
{
	struct channel_snapshot frame = { .request = what };
	int rc = join_channel();

	if (rc < 0)
		return rc;
	memcpy(frame.name, name->text, NAME_MAX_CHARS);
	rc = channel_send_and_wait(&channel, CHANNEL_SNAPSHOT, &frame, sizeof(frame));
	return rc < 0 ? err_sys(-rc, "ask the host for a snapshot") : 0;
}

static int ask(const struct ktstr_ctx *ctx, enum request what, const struct request_name *name)
{
	if (ctx->asks_by_channel)
		return ask_by_channel(what, name);
	ask_by_instruction(what, name);
	return 0;
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
			"scheduler in sim, and of tests with post_vm or num_snapshots in tcg and kvm",
			name);
	memcpy(request.text, name, strlen(name));
	return ask(ctx, REQUEST_SNAPSHOT, &request);
}

/* Finding the channel takes longer than using it, so that is done before the first step. */
int ctx_tell_begin(const struct ktstr_ctx *ctx)
{
	struct request_name none = {};

	if (ctx->is_guest && join_channel() < 0)
		err_clear();
	return ctx->has_snapshots ? ask(ctx, REQUEST_BEGIN, &none) : 0;
}

/* Waits neither for the lock nor for room, so that the steps keep their times. */
void ctx_tell_step(const struct ktstr_ctx *ctx, const struct stimulus *s)
{
	static unsigned int sent;
	uint64_t ms = (clock_mono_ns() - ctx->body_start_ns) / NSEC_PER_MSEC;
	struct stimulus frame = *s;

	if (!ctx->is_guest || !channel.header || sent >= STIMULI_MAX_FRAMES)
		return;
	sent++;
	frame.elapsed_ms = (uint32_t)MIN(ms, UINT32_MAX);
	(void)channel_send_urgent(&channel, CHANNEL_STIMULUS, &frame, sizeof(frame));
}
