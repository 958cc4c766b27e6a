// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr model`. */
#include "cli/cli.h"
#include "payload/model.h"

int cmd_model_fetch(const struct cli_call *call)
{
	_free_ char *path = NULL;
	_str_ struct str out = {};
	struct model_pin pin;
	int rc = model_pin(&pin);

	if (rc < 0)
		return rc;
	path = model_path();
	if (!path)
		return -ENOENT;
	interrupt_install();
	rc = model_fetch(&pin, path);
	if (rc == -EINTR)
		return EXIT_INTERRUPTED;
	if (rc < 0)
		return rc;
	str_addf(&out, "%s: model '%s' ready at %s\n", call->program, pin.file, path);
	return output_text(&out);
}

int cmd_model_status(const struct cli_call *call)
{
	_str_ struct str out = {};
	int rc = model_status_text(&out);

	(void)call;
	return rc < 0 ? rc : output_text(&out);
}

int cmd_model_clean(const struct cli_call *call)
{
	_str_ struct str out = {};
	int rc = model_clean_text(&out);

	(void)call;
	return rc < 0 ? rc : output_text(&out);
}
