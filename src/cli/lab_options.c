// SPDX-License-Identifier: GPL-2.0-only
/* Converts options to one test to run in sim. */
#include "cli/options.h"

#include "host/plan.h"
#include "kernel/ident.h"

void lab_words_finish(struct lab_words *w)
{
	free(w->items);
	*w = (struct lab_words){};
}

/* Lists and ranges are for commands that run a test on several kernels. */
int lab_check_kernel(const struct cli_call *call)
{
	_kernel_id_list_ struct kernel_id_list ids = {};
	const char *text = cli_text(call, "kernel");
	int rc = text ? kernel_id_list_add(&ids, text) : 0;

	if (rc < 0 || ids.count == 0 || (ids.count == 1 && ids.items[0].kind != KERNEL_ID_RANGE))
		return rc;
	return cli_usage_error(call, "--kernel is one kernel here, '%s' may be several", text);
}

int lab_options(const struct cli_call *call, struct lab_words *words, struct lab_request *out)
{
	int rc = lab_check_kernel(call);

	if (rc)
		return rc;
	words->count = cli_count(call, "test");
	words->items = calloc(words->count + 1, sizeof(*words->items));
	if (!words->items)
		return err_no_memory();
	for (size_t i = 0; i < words->count; i++)
		words->items[i] = cli_nth(call, "test", i);
	*out = (struct lab_request){
		.label = call->program,
		.words = words->items,
		.word_count = words->count,
		.kernel = cli_text(call, "kernel"),
		.no_perf_mode = cli_flag(call, "no-perf-mode") || run_mode_env_no_perf(),
		.is_quiet = cli_flag(call, "quiet"),
	};
	return knob_options(call, &out->knobs);
}
