// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr kernel fetch`: downloads an image built by a distribution. */
#include "cli/table.h"
#include "kernel/cache.h"
#include "kernel/distro.h"

static void tell(const struct cli_call *call, const struct kernel_image *k)
{
	char btf[KERNEL_BTF_TEXT_SIZE];

	kernel_btf_format(k->btf, k->unsound_kfuncs, btf);
	log_note("%s: %s is in the cache (sched_ext: %s, BTF: %s)", call->program, k->key,
		 kernel_answer_text(k->has_scx), btf);
}

static int cmd_kernel_fetch_run(const struct cli_call *call)
{
	const char *text = cli_text(call, "release");
	_kernel_image_ struct kernel_image image = {};
	struct kernel_version version;
	_free_ char *root = NULL;
	_free_ char *key = NULL;
	int rc;

	if (text && kernel_version_parse(text, &version) < 0)
		return err_set(EINVAL,
			       "'%s' is not a version: kernel fetch takes 6.19.14, or 6.19 for the "
			       "newest of a series",
			       text);
	interrupt_install();
	rc = cache_root(&root);
	if (rc == 0)
		rc = kernel_fetch(root, text ? &version : NULL, cli_flag(call, "force"),
				  call->program, &key);
	if (rc == -ENOENT && text)
		rc = kernel_err_nearest(rc, root, call->program, &version, true);
	rc = rc ?: cache_open(root, key, &image);
	if (rc < 0)
		return rc == -EINTR ? EXIT_INTERRUPTED : rc;
	if (!cli_flag(call, "quiet"))
		tell(call, &image);
	printf("%s\n", image.image);
	return 0;
}

/* clang-format off */
const struct cli_cmd cmd_kernel_fetch = {
	.name = "fetch", .summary = "get a ready-made kernel",
	.about = "Downloads an image built by Debian and adds it to the cache, in seconds "
		 "instead of a compile. Requires apt but no privileges: nothing is installed. Of "
		 "a series, the newest image with sound BTF is used. Without apt, network or a "
		 "matching version, an image installed on this machine (/lib/modules/*/vmlinuz, "
		 "/boot/vmlinuz-*) is copied into the cache.",
	.params = CLI_PARAMS(
		{ .name = "release", .is_arg = true, .kind = CLI_STRING, .value = "VERSION",
		  .help = "version or series [default: the newest with sound BTF]" },
		{ .name = "force", .help = "fetch even if it is cached" }),
	.examples = CLI_EXAMPLES(
		{ "kernel fetch 7.0", "the newest sound image of the 7.0 series, in seconds" }),
	.holds_resources = true,
	.run = cmd_kernel_fetch_run,
};
/* clang-format on */
