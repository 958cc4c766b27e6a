// SPDX-License-Identifier: GPL-2.0-only
/* Scenario files in both formats: read, or refused with a place. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "scenfile/scenfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read ends where the engine looks for an end. */
static size_t walk(const struct scenfile *f)
{
	const struct ktstr_cgroup *c = f->run.backdrop.defs;
	const struct ktstr_op *op = f->run.backdrop.ops;
	const struct ktstr_step *step = f->run.steps;
	size_t seen = 0;

	for (; c && c->name; c++) {
		const struct ktstr_work *work = c->works;

		for (; work && work->workers != UINT32_MAX; work++)
			seen++;
		seen += strlen(c->name);
	}
	for (; op && op->kind != KTSTR_OP_END; op++)
		seen++;
	for (; step && !step->is_end_; step++)
		seen++;
	return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(arena_finish) struct arena arena = {};
	_free_ char *text = malloc(size + 1);
	struct scenfile f;
	int rc;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	err_clear();
	rc = scenfile_parse("file", text, size, &arena, &f);
	if (rc == 0 && !walk(&f))
		abort();
	if (rc < 0 && strncmp(err_text(rc), "file:", 5) != 0)
		abort();
	return 0;
}
