// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/kernel.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>

/* ---- finding the file ---- */

static int open_file(struct source_lines *s, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return err_sys(errno, "open %s", path);
	s->fd = fd + 1;
	s->info = dwarf_begin(fd, DWARF_C_READ);
	return s->info ? 0 : err_set(ENODATA, "%s has no debug information", path);
}

int source_lines_open(struct source_lines *s, const char *dir)
{
	_free_ char *path = str_fmt("%s/vmlinux", dir);

	return path ? err_wrap(open_file(s, path), "--kernel-dir") : err_no_memory();
}

#define BUILD_ID_MAX 64

/* 0 = no build ID. */
static size_t build_id(Elf *elf, uint8_t out[static BUILD_ID_MAX])
{
	const void *id;
	ssize_t len = elf ? dwelf_elf_gnu_build_id(elf, &id) : 0;

	if (len <= 0 || len > BUILD_ID_MAX)
		return 0;
	memcpy(out, id, (size_t)len);
	return (size_t)len;
}

static size_t build_id_of_file(const char *path, uint8_t out[static BUILD_ID_MAX])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf *elf = NULL;
	size_t len;

	if (fd < 0)
		return 0;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	len = build_id(elf, out);
	elf_end(elf);
	close(fd);
	return len;
}

static bool is_of(const struct source_lines *s, const uint8_t *id, size_t len)
{
	uint8_t own[BUILD_ID_MAX];

	return len && build_id(dwarf_getelf(s->info), own) == len && memcmp(own, id, len) == 0;
}

bool source_lines_search(struct source_lines *s, const struct kernel_image *k)
{
	const char *release = k->release ? k->release : "", *tree = k->source_tree;
	char *paths[] = {
		tree ? str_fmt("%s/vmlinux", tree) : NULL,
		k->vmlinux ? str_fmt("%s", k->vmlinux) : NULL,
		*release ? str_fmt("/usr/lib/debug/boot/vmlinux-%s", release) : NULL,
		*release ? str_fmt("/usr/lib/debug/lib/modules/%s/vmlinux", release) : NULL,
		*release ? str_fmt("/lib/modules/%s/build/vmlinux", release) : NULL,
	};
	uint8_t id[BUILD_ID_MAX];
	size_t len = k->vmlinux ? build_id_of_file(k->vmlinux, id) : 0;
	bool is_found = false;

	for (size_t i = 0; i < ARRAY_SIZE(paths) && !is_found; i++) {
		is_found = paths[i] && open_file(s, paths[i]) == 0 && is_of(s, id, len);
		if (!is_found)
			source_lines_finish(s);
	}
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		free(paths[i]);
	err_clear();
	return is_found;
}

/* ---- functions ---- */

struct search {
	const char *const *functions;
	size_t count, missing;
	struct source_line *out;
};

/* Clang's DWARF 5 gives the unit's own file number 0, which libdw treats as none. */
static const char *file_of(Dwarf_Die *die)
{
	const char *file = dwarf_decl_file(die);
	Dwarf_Die unit;

	return file || !dwarf_diecu(die, &unit, NULL, NULL) ? file : dwarf_diename(&unit);
}

static bool is_name(const char *name, const char *function)
{
	size_t len = strlen(name);

	return strncmp(name, function, len) == 0 && (!function[len] || function[len] == '.');
}

static int look(Dwarf_Die *die, void *ctx)
{
	struct search *s = ctx;
	const char *name = dwarf_diename(die);
	int line;

	if (!name || !*name || dwarf_hasattr(die, DW_AT_declaration))
		return DWARF_CB_OK;
	for (size_t i = 0; i < s->count; i++) {
		if (s->out[i].file || !is_name(name, s->functions[i]) ||
		    dwarf_decl_line(die, &line) != 0)
			continue;
		s->out[i] = (struct source_line){ file_of(die), (uint32_t)line };
		s->missing -= s->out[i].file != NULL;
	}
	return s->missing ? DWARF_CB_OK : DWARF_CB_ABORT;
}

static Elf_Data *symbol_table(Elf *elf, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, header) && header->sh_type == SHT_SYMTAB)
			return elf_getdata(section, NULL);
	return NULL;
}

static bool is_wanted(const struct search *s, const char *symbol)
{
	for (size_t i = 0; i < s->count; i++)
		if (!s->out[i].file && str_eq(symbol, s->functions[i]))
			return true;
	return false;
}

/* Uses the address table to find the units: there are thousands. */
static void look_by_address(Dwarf *info, struct search *s)
{
	Elf *elf = dwarf_getelf(info);
	GElf_Shdr header;
	Elf_Data *symbols = symbol_table(elf, &header);
	GElf_Sym symbol;

	for (int i = 0; symbols && s->missing && gelf_getsym(symbols, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
		Dwarf_Die unit;

		if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && name && is_wanted(s, name) &&
		    dwarf_addrdie(info, symbol.st_value, &unit))
			dwarf_getfuncs(&unit, look, s, 0);
	}
}

static void look_through_all(Dwarf *info, struct search *s)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	while (s->missing && dwarf_get_units(info, unit, &unit, NULL, NULL, &die, NULL) == 0)
		dwarf_getfuncs(&die, look, s, 0);
}

void source_lines_find(const struct source_lines *s, const char *const *functions, size_t count,
		       struct source_line *out)
{
	struct search search = { functions, count, count, out };
	Dwarf_Aranges *addresses;
	size_t address_count = 0;

	for (size_t i = 0; i < count; i++)
		out[i] = (struct source_line){};
	if (!s->info)
		return;
	/* Clang generates no table by default. */
	if (dwarf_getaranges(s->info, &addresses, &address_count) == 0 && address_count)
		look_by_address(s->info, &search);
	else
		look_through_all(s->info, &search);
}

void source_lines_finish(struct source_lines *s)
{
	if (s->info)
		dwarf_end(s->info);
	if (s->fd)
		close(s->fd - 1);
	*s = (struct source_lines){};
}
