// SPDX-License-Identifier: GPL-2.0-only
/* Functions for all kernel images. */
#include "kernel/kernel.h"

void kernel_image_finish(struct kernel_image *k)
{
	free(k->image);
	free(k->vmlinux);
	free(k->config);
	free(k->version);
	free(k->release);
	free(k->key);
	free(k->source_tree);
	if (k->lock_fd > 0)
		close(k->lock_fd);
	*k = (struct kernel_image){};
}

const char *kernel_answer_text(enum kernel_answer answer)
{
	static const char *const words[] = {
		[KERNEL_UNKNOWN] = "-",
		[KERNEL_NO] = "no",
		[KERNEL_YES] = "yes",
	};

	return words[answer];
}

void kernel_btf_format(enum kernel_btf btf, uint32_t unsound_kfuncs,
		       char out[static KERNEL_BTF_TEXT_SIZE])
{
	static const char *const words[] = {
		[KERNEL_BTF_UNKNOWN] = "-",
		[KERNEL_BTF_NONE] = "none",
		[KERNEL_BTF_OK] = "ok",
		[KERNEL_BTF_UNSOUND] = "unsound",
	};

	if (btf == KERNEL_BTF_UNSOUND)
		snprintf(out, KERNEL_BTF_TEXT_SIZE, "unsound: %u kfuncs", unsound_kfuncs);
	else
		snprintf(out, KERNEL_BTF_TEXT_SIZE, "%s", words[btf]);
}

int kernel_require_scx(const struct kernel_image *k)
{
	const char *name = k->key ? k->key : k->image;

	if (k->has_scx == KERNEL_NO)
		return err_set(
			ENOTSUP,
			"kernel %s has no sched_ext: it needs Linux 6.12 or newer built with "
			"CONFIG_SCHED_CLASS_EXT=y",
			name);
	if (k->btf == KERNEL_BTF_NONE)
		return err_set(ENOTSUP,
			       "kernel %s has no BTF, so no sched_ext scheduler can be loaded: it "
			       "needs CONFIG_DEBUG_INFO_BTF=y",
			       name);
	if (k->btf == KERNEL_BTF_UNSOUND)
		return err_set(ENOTSUP,
			       "kernel %s has unsound BTF: %u kfuncs of sched_ext have an argument "
			       "'aux' and no _impl twin, so schedulers that call them cannot be "
			       "loaded; `ktstr kernel list` shows kernels whose BTF is ok",
			       name, k->unsound_kfuncs);
	return 0;
}
