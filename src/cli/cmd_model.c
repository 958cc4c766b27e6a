// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr model`. */
#include "cli/table.h"
#include "run/model.h"

static int cmd_model_fetch_run(const struct cli_call *call)
{
	_str_ struct str out = {};
	int rc;

	interrupt_install();
	rc = model_fetch_text(call->program, &out);
	if (rc == -EINTR)
		return EXIT_INTERRUPTED;
	return rc ?: output_text(&out);
}

static int cmd_model_status_run(const struct cli_call *call _unused_)
{
	_str_ struct str out = {};
	int rc = model_status_text(&out);

	return rc < 0 ? rc : output_text(&out);
}

static int cmd_model_clean_run(const struct cli_call *call _unused_)
{
	_str_ struct str out = {};
	int rc = model_clean_text(&out);

	return rc < 0 ? rc : output_text(&out);
}

/* clang-format off */
const struct cli_cmd cmd_model_fetch = {
	.name = "fetch", .summary = "download the model and check it",
	.about = "Downloads the model that turns the text of benchmarks into metrics, unless the "
		 "cached file has the right SHA-256 already.",
	.holds_resources = true,
	.exits = CLI_EXITS({ "130", "interrupted; no file is left unfinished" }),
	.run = cmd_model_fetch_run,
};

const struct cli_cmd cmd_model_status = {
	.name = "status", .summary = "show whether the model is cached and valid",
	.run = cmd_model_status_run,
};

const struct cli_cmd cmd_model_clean = {
	.name = "clean", .summary = "remove the model from the cache", .run = cmd_model_clean_run,
};
/* clang-format on */
