// SPDX-License-Identifier: GPL-2.0-only
/* Strips debug sections. */
#include "vm/elf_closure.h"

#include "base/elf_view.h"

#define ALIGNMENT 16

static const uint8_t zeros[ALIGNMENT];

struct image {
	struct elf_view file;
	Elf64_Shdr *sections; /* a copy with modified offsets */
};

/* Accepts native programs and libraries only; relocatable objects need their sections. */
static int read_image(struct image *f, const uint8_t *data, size_t size)
{
	const Elf64_Ehdr *h = &f->file.header;

	if (elf_view_open(&f->file, data, size) < 0) {
		err_clear();
		return -ENOENT;
	}
	if ((h->e_type != ET_EXEC && h->e_type != ET_DYN) || h->e_shstrndx >= h->e_shnum ||
	    !elf_view_has_sections(&f->file) || !elf_view_has_segments(&f->file))
		return -ENOENT;
	f->sections = calloc(h->e_shnum, sizeof(*f->sections));
	if (!f->sections)
		return err_no_memory();
	memcpy(f->sections, data + h->e_shoff, h->e_shnum * sizeof(*f->sections));
	return 0;
}

static bool is_unwanted(const struct image *f, const Elf64_Shdr *s)
{
	const char *name = elf_view_name(&f->file, s);

	return !(s->sh_flags & SHF_ALLOC) &&
	       (str_starts(name, ".debug_") || str_starts(name, ".zdebug_") ||
		str_eq(name, ".comment"));
}

/* End of the part that stays as it is: headers and everything that is loaded. */
static uint64_t loaded_end(const struct image *f)
{
	uint64_t end =
		f->file.header.e_phoff + (uint64_t)f->file.header.e_phnum * sizeof(Elf64_Phdr);

	end = MAX(end, sizeof(Elf64_Ehdr));
	for (unsigned int i = 0; i < f->file.header.e_phnum; i++) {
		Elf64_Phdr ph = elf_view_segment(&f->file, i);

		if (ph.p_filesz && elf_view_has(&f->file, ph.p_offset, ph.p_filesz))
			end = MAX(end, ph.p_offset + ph.p_filesz);
	}
	return end;
}

static int add_piece(struct elf_strip *s, const void *data, size_t len)
{
	int rc;

	if (len == 0)
		return 0;
	rc = vec_grow((void **)&s->pieces, &s->cap, s->count + 1, sizeof(*s->pieces));
	if (rc < 0)
		return rc;
	s->pieces[s->count++] = (struct elf_piece){ .data = data, .len = len };
	s->size += len;
	return 0;
}

static int align(struct elf_strip *s)
{
	return add_piece(s, zeros, (ALIGNMENT - s->size % ALIGNMENT) % ALIGNMENT);
}

/* Returns whether the rest of the file consists of sections that can be moved one by one. */
static bool can_strip(const struct image *f, uint64_t end, size_t size)
{
	uint64_t known =
		f->file.header.e_shoff + (uint64_t)f->file.header.e_shnum * sizeof(*f->sections);
	bool has_unwanted = false;

	for (unsigned int i = 0; i < f->file.header.e_shnum; i++) {
		const Elf64_Shdr *s = &f->sections[i];

		if (!elf_section_size(s))
			continue;
		if (!elf_view_has(&f->file, s->sh_offset, s->sh_size) ||
		    (s->sh_offset < end && s->sh_offset + s->sh_size > end))
			return false;
		has_unwanted |= is_unwanted(f, s) && s->sh_offset >= end;
		known = MAX(known, s->sh_offset + s->sh_size);
	}
	/* Not if there is data after the sections: the program may read it. */
	return has_unwanted && known >= size;
}

static int move_section(struct elf_strip *out, struct image *f, Elf64_Shdr *s)
{
	const uint8_t *bytes = f->file.data + s->sh_offset;
	int rc = align(out);

	s->sh_offset = out->size;
	return rc ?: add_piece(out, bytes, s->sh_size);
}

static void empty_unwanted(struct image *f, uint64_t end)
{
	for (unsigned int i = 0; i < f->file.header.e_shnum; i++) {
		Elf64_Shdr *s = &f->sections[i];

		if (is_unwanted(f, s) && s->sh_offset >= end)
			*s = (Elf64_Shdr){ .sh_name = s->sh_name };
	}
}

static int lay_out(struct elf_strip *out, struct image *f, uint64_t end)
{
	Elf64_Ehdr *header = malloc(sizeof(*header));
	int rc;

	if (!header)
		return err_no_memory();
	*header = f->file.header;
	out->header = header;
	rc = add_piece(out, header, sizeof(*header));
	rc = rc ?: add_piece(out, f->file.data + sizeof(*header), end - sizeof(*header));
	empty_unwanted(f, end);
	for (unsigned int i = 0; i < f->file.header.e_shnum && rc == 0; i++)
		if (elf_section_size(&f->sections[i]) && f->sections[i].sh_offset >= end)
			rc = move_section(out, f, &f->sections[i]);
	rc = rc ?: align(out);
	header->e_shoff = out->size;
	rc = rc ?: add_piece(out, f->sections, f->file.header.e_shnum * sizeof(*f->sections));
	out->sections = take_ptr(&f->sections);
	return rc;
}

int elf_strip_plan(struct elf_strip *s, const uint8_t *data, size_t size)
{
	struct image f = {};
	uint64_t end;
	int rc = read_image(&f, data, size);

	*s = (struct elf_strip){};
	if (rc == 0) {
		end = loaded_end(&f);
		rc = end <= size && can_strip(&f, end, size) ? lay_out(s, &f, end) : -ENOENT;
	}
	if (rc == 0 && s->size >= size) /* overlapping sections would make it grow */
		rc = -ENOENT;
	free(f.sections);
	if (rc < 0)
		elf_strip_finish(s);
	return rc;
}

void elf_strip_finish(struct elf_strip *s)
{
	free(s->pieces);
	free(s->header);
	free(s->sections);
	*s = (struct elf_strip){};
}
