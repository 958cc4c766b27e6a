// SPDX-License-Identifier: GPL-2.0-only
/* Printing what a command has built. */
#include <libgen.h>

#include "cli/cli.h"

#define DEFAULT_WIDTH 80
#define MIN_WIDTH 60
#define MAX_WIDTH 120 /* longer lines are hard to read */

static bool is_unwanted;

static int failed(int fd, int error)
{
	is_unwanted |= error == EPIPE;
	return err_sys(error, "write to standard %s", fd == STDOUT_FILENO ? "output" : "error");
}

int output_check_file(const char *path)
{
	_free_ char *copy = path ? strdup(path) : NULL;

	if (!path || str_eq(path, "-"))
		return 0;
	if (!copy)
		return err_no_memory();
	return access(dirname(copy), W_OK) < 0 ? err_sys(errno, "create %s", path) : 0;
}

int output_raw(const struct str *text)
{
	int rc = str_check(text);

	if (rc < 0)
		return rc;
	/* errno is only known here; what stays in the buffer is checked at exit. */
	if (fwrite(str_get(text), 1, text->len, stdout) != text->len)
		return failed(STDOUT_FILENO, errno);
	return 0;
}

int output_text(const struct str *text)
{
	_str_ struct str shown = {};
	int rc = str_check(text);

	if (rc < 0)
		return rc;
	text_add_lines(&shown, str_get(text));
	return output_raw(&shown);
}

int output_line(const char *fmt, ...)
{
	_str_ struct str line = {};

	str_add_rest(&line, fmt);
	str_addc(&line, '\n');
	return output_text(&line);
}

int output_json(struct str *text)
{
	str_addc(text, '\n');
	return output_raw(text);
}

void output_begin(struct printout *o, const struct cli_call *call)
{
	*o = (struct printout){ .is_json = cli_flag(call, "json") };
	json_init(&o->json, &o->text, true);
	o->sheet = (struct sheet){ .format = o->is_json ? SHEET_AS_JSON : SHEET_AS_TABLE,
				   .out = &o->text,
				   .json = &o->json };
}

void output_document(struct printout *o, const struct cli_call *call)
{
	output_begin(o, call);
	if (o->is_json)
		json_document(&o->json, &o->text);
}

int output_end(struct printout *o, int rc)
{
	if (o->json.depth)
		json_object_end(&o->json);
	if (rc == 0)
		rc = o->is_json ? output_json(&o->text) :
		     o->is_raw	? output_raw(&o->text) :
				  output_text(&o->text);
	str_finish(&o->text);
	return rc;
}

size_t output_width(void)
{
	size_t width = term_width(stdout);

	return width ? MIN(MAX(width, MIN_WIDTH), MAX_WIDTH) : DEFAULT_WIDTH;
}

int output_flush(void)
{
	return fflush(stdout) == 0 ? 0 : failed(STDOUT_FILENO, errno);
}

int output_bytes(int fd, const void *data, size_t len)
{
	int rc = fd_write_all(fd, data, len);

	return rc < 0 ? failed(fd, -rc) : 0;
}

bool output_is_unwanted(void)
{
	return is_unwanted;
}
