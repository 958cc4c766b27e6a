// SPDX-License-Identifier: GPL-2.0-only
/* Takes CPUs offline and online. */
#include "scenario/ctx.h"

static int write_online(struct ktstr_ctx *ctx, unsigned int cpu, const char *value)
{
	_free_ char *path = str_fmt("%s/devices/system/cpu/cpu%u/online", ctx->roots.sys, cpu);
	_close_ int fd = -1;
	int rc;

	if (!path)
		return err_no_memory();
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return err_set(ENOENT, "CPU %u cannot be taken offline on this machine", cpu);
	if (fd < 0)
		return err_sys(errno, "open %s", path);
	rc = fd_write_all(fd, value, 1);
	worker_cpus_add(&ctx->hotplugged, cpu);
	return rc < 0 ? err_sys(-rc, "write %s to %s", value, path) : 0;
}

static int check_cpu(const struct ktstr_ctx *ctx, int64_t cpu)
{
	_str_ struct str present = {};

	if (cpu >= 0 && cpu < CPULIST_MAX && cpulist_has(&ctx->present, (unsigned int)cpu))
		return 0;
	cpulist_format(ctx->present.cpus, ctx->present.count, &present);
	return err_set(EINVAL, "CPU %lld does not exist: the machine has %s", (long long)cpu,
		       str_get(&present));
}

static bool is_known(const struct ktstr_ctx *ctx, unsigned int cpu)
{
	for (size_t i = 0; i < ctx->offline_cpus.count; i++)
		if (ctx->offline_cpus.items[i] == cpu)
			return true;
	return false;
}

/* Keeps the order: the CPU that was taken offline last comes back first. */
static void forget(struct ktstr_ctx *ctx, unsigned int cpu)
{
	size_t kept = 0;

	for (size_t i = 0; i < ctx->offline_cpus.count; i++)
		if (ctx->offline_cpus.items[i] != cpu)
			ctx->offline_cpus.items[kept++] = ctx->offline_cpus.items[i];
	ctx->offline_cpus.count = kept;
}

int ctx_cpu_offline(struct ktstr_ctx *ctx, int64_t cpu)
{
	int rc = check_cpu(ctx, cpu);

	/* Reserve memory first: a CPU that cannot be remembered would not come back. */
	rc = rc ?: vec_reserve(&ctx->offline_cpus, ctx->offline_cpus.count + 1);
	rc = rc ?: write_online(ctx, (unsigned int)cpu, "0");
	if (rc == 0)
		worker_cpus_remove(&ctx->returned, (unsigned int)cpu);
	if (rc < 0 || is_known(ctx, (unsigned int)cpu))
		return rc;
	return vec_push(&ctx->offline_cpus, (unsigned int)cpu);
}

int ctx_cpu_online(struct ktstr_ctx *ctx, int64_t cpu)
{
	int rc = check_cpu(ctx, cpu) ?: write_online(ctx, (unsigned int)cpu, "1");

	if (rc < 0)
		return rc;
	forget(ctx, (unsigned int)cpu);
	worker_cpus_add(&ctx->returned, (unsigned int)cpu);
	if (ctx->observer)
		observer_restart_cpu(ctx->observer, (unsigned int)cpu);
	return 0;
}

void ctx_hotplug_settled(struct ktstr_ctx *ctx)
{
	ctx->hotplugged = ctx->returned = (struct worker_cpus){};
	for (size_t i = 0; i < ctx->offline_cpus.count; i++)
		worker_cpus_add(&ctx->hotplugged, ctx->offline_cpus.items[i]);
}

int ctx_online_again(struct ktstr_ctx *ctx, size_t keep)
{
	int first = 0;

	while (ctx->offline_cpus.count > keep) {
		unsigned int cpu = ctx->offline_cpus.items[--ctx->offline_cpus.count];
		int rc = write_online(ctx, cpu, "1");

		first = first < 0 ? first : rc;
	}
	return first;
}
