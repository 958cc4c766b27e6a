// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr model`. */
#include "cli/cli.h"
#include "payload/model.h"

int cmd_model_fetch(const struct cli_call *call)
{
	_str_ struct str out = {};
	int rc;

	interrupt_install();
	rc = model_fetch_text(call->program, &out);
	if (rc == -EINTR)
		return EXIT_INTERRUPTED;
	return rc ?: output_text(&out);
}

int cmd_model_status(const struct cli_call *call _unused_)
{
	_str_ struct str out = {};
	int rc = model_status_text(&out);

	return rc < 0 ? rc : output_text(&out);
}

int cmd_model_clean(const struct cli_call *call _unused_)
{
	_str_ struct str out = {};
	int rc = model_clean_text(&out);

	return rc < 0 ? rc : output_text(&out);
}
