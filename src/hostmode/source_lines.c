// SPDX-License-Identifier: GPL-2.0-only
#include "hostmode/source_lines.h"

#include <elfutils/libdw.h>

int source_lines_open(struct source_lines *s, const char *dir)
{
	_free_ char *path = str_fmt("%s/vmlinux", dir);
	int fd;

	if (!path)
		return err_no_memory();
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(errno, "--kernel-dir: open %s", path);
	s->fd = fd + 1;
	s->info = dwarf_begin(fd, DWARF_C_READ);
	if (!s->info)
		return err_set(ENODATA, "--kernel-dir: %s has no debug information", path);
	return 0;
}

struct search {
	const char *function, *file;
	int line;
};

/* Clang's DWARF 5 calls the unit's own file number 0, which libdw takes for none. */
static const char *file_of(Dwarf_Die *die)
{
	const char *file = dwarf_decl_file(die);
	Dwarf_Die unit;

	return file || !dwarf_diecu(die, &unit, NULL, NULL) ? file : dwarf_diename(&unit);
}

static int look(Dwarf_Die *die, void *ctx)
{
	struct search *s = ctx;
	const char *name = dwarf_diename(die);

	if (!name || !str_eq(name, s->function) || dwarf_decl_line(die, &s->line) != 0)
		return DWARF_CB_OK;
	s->file = file_of(die);
	return s->file ? DWARF_CB_ABORT : DWARF_CB_OK;
}

const char *source_lines_find(void *ctx, const char *function, uint32_t *line)
{
	struct source_lines *s = ctx;
	struct search search = { .function = function };
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	while (!search.file && dwarf_get_units(s->info, unit, &unit, NULL, NULL, &die, NULL) == 0)
		dwarf_getfuncs(&die, look, &search, 0);
	*line = (uint32_t)search.line;
	return search.file;
}

void source_lines_finish(struct source_lines *s)
{
	if (s->info)
		dwarf_end(s->info);
	if (s->fd)
		close(s->fd - 1);
	*s = (struct source_lines){};
}
