// SPDX-License-Identifier: GPL-2.0-only
/* Finds the counters in the TLS block of an ELF file. */
#include "ctprof/jemalloc_parts.h"

#define COUNTER_BYTES sizeof(uint64_t)

static const char *const state_names[] = { "*tsd_tls", NULL };
static const char *const malloc_names[] = { "malloc", NULL };

/* The file, and the one with its debug information if that is separate. */
struct elf_pair {
	struct elf_view file, debug; /* debug.fd is -1 if there is none */
};

static void pair_finish(struct elf_pair *p)
{
	cleanup_fd(&p->debug.fd);
}

static bool find_state(const struct elf_view *f, Elf64_Sym *out)
{
	return elf_find_symbol(f, SHT_SYMTAB, STT_TLS, state_names, out) ||
	       elf_find_symbol(f, SHT_DYNSYM, STT_TLS, state_names, out);
}

static bool has_section(const struct elf_view *f, const char *name)
{
	Elf64_Shdr unused;

	return elf_view_find(f, name, &unused) == 0;
}

static bool exports(const struct elf_view *f, const char *const *names)
{
	Elf64_Sym unused;

	return elf_find_symbol(f, SHT_DYNSYM, STT_FUNC, names, &unused);
}

static void open_debug(struct elf_pair *p, const struct jemalloc_lookup *l)
{
	p->debug.fd = elf_open_debug(&p->file, l->tgid, l->path);
	if (p->debug.fd >= 0)
		elf_view_open_file(&p->debug, p->debug.fd);
}

static bool is_in_block(const struct jemalloc_layout *l)
{
	uint64_t last = l->tls_size - COUNTER_BYTES;

	return l->counters.allocated <= last && l->counters.deallocated <= last;
}

/* Reads the offsets of the members from the debug information, in the file or separate. */
static int ask_dwarf(const struct elf_pair *p, struct jemalloc_offsets *members)
{
	int rc = -ENOENT;

	if (has_section(&p->file, ".debug_info") || has_section(&p->file, ".zdebug_info"))
		rc = jemalloc_ask(JEMALLOC_ASK_DWARF, p->file.fd, members);
	if (rc < 0 && p->debug.fd >= 0)
		rc = jemalloc_ask(JEMALLOC_ASK_DWARF, p->debug.fd, members);
	return rc;
}

/* NULL: symbol and members are known, and the counters are set. */
static const char *learn_from_debug(struct elf_pair *p, const Elf64_Sym *state,
				    struct jemalloc_layout *out)
{
	struct jemalloc_offsets members;

	if (ask_dwarf(p, &members) < 0)
		return TAG_DWARF;
	if (state->st_value >= out->tls_size)
		return TAG_DWARF;
	out->counters.allocated = state->st_value + members.allocated;
	out->counters.deallocated = state->st_value + members.deallocated;
	return is_in_block(out) ? NULL : TAG_DWARF;
}

/*
 * Thread states of released versions, by size. For a static jemalloc without debug information, as
 * in Debian's libjemalloc.a and in Rust programs, only the symbol is known.
 */
static const struct {
	uint16_t machine;
	uint64_t size;
	struct jemalloc_offsets members;
} known_states[] = {
	{ EM_X86_64, 2632, { 824, 840 } }, /* 5.3.0 */
	/* 5.3.1: plain, with profiling, with statistics, with both */
	{ EM_X86_64, 1952, { 912, 928 } },
	{ EM_X86_64, 1960, { 920, 936 } },
	{ EM_X86_64, 1968, { 928, 944 } },
	{ EM_X86_64, 1976, { 936, 952 } },
};

static const char *learn_from_size(const struct elf_pair *p, const Elf64_Sym *state,
				   struct jemalloc_layout *out)
{
	if (state->st_value >= out->tls_size)
		return TAG_DWARF;
	for (size_t i = 0; i < ARRAY_SIZE(known_states); i++) {
		if (known_states[i].machine != p->file.header.e_machine ||
		    known_states[i].size != state->st_size)
			continue;
		out->counters.allocated = state->st_value + known_states[i].members.allocated;
		out->counters.deallocated = state->st_value + known_states[i].members.deallocated;
		out->is_by_size = true;
		return is_in_block(out) ? NULL : TAG_DWARF;
	}
	return TAG_DWARF;
}

static bool is_foreign(const struct elf_view *f)
{
	return !elf_view_is_64(f) || f->header.e_machine != tls_our_machine();
}

static const char *examine_executable(struct elf_pair *p, const struct jemalloc_lookup *l,
				      struct jemalloc_layout *out)
{
	Elf64_Sym state;
	bool has_state = find_state(&p->file, &state);

	if (!has_state || !has_section(&p->file, ".debug_info"))
		open_debug(p, l);
	if (!has_state)
		has_state = find_state(&p->debug, &state);
	if (!has_state && !exports(&p->file, jemalloc_mallctl_names))
		return TAG_NOT_FOUND;
	if (is_foreign(&p->file))
		return TAG_ARCH;
	if (!has_state)
		return TAG_DWARF;
	/* The program may have debug information that does not cover a static jemalloc. */
	return learn_from_debug(p, &state, out) ? learn_from_size(p, &state, out) : NULL;
}

/* Asks the library, unless another copy with the same build ID was asked before. */
static const char *learn_from_library(const struct elf_pair *p, const struct jemalloc_lookup *l,
				      struct jemalloc_layout *out)
{
	struct jemalloc_known known = {};
	bool is_known;

	known.id_len = elf_build_id(&p->file, known.id);
	is_known = known.id_len && l->recall(l->context, &known);
	if (!is_known && !jemalloc_may_ask(p->file.fd, l->path))
		return TAG_UNTRUSTED;
	if (!is_known && jemalloc_ask(JEMALLOC_ASK_LIBRARY, p->file.fd, &known.counters) < 0)
		return TAG_IN_DSO;
	out->counters = known.counters;
	if (!is_in_block(out))
		return TAG_IN_DSO;
	if (known.id_len && !is_known)
		l->remember(l->context, &known);
	return NULL;
}

static bool find_code(const struct elf_view *f, Elf64_Phdr *out)
{
	for (size_t i = 0; i < f->header.e_phnum; i++) {
		*out = elf_view_segment(f, i);
		if (out->p_type == PT_LOAD && out->p_flags & PF_X)
			return true;
	}
	return false;
}

static const char *examine_library(struct elf_pair *p, const struct jemalloc_lookup *l,
				   struct jemalloc_layout *out)
{
	Elf64_Sym state;
	bool has_state = find_state(&p->file, &state);
	bool has_mallctl = exports(&p->file, jemalloc_mallctl_names);

	if (!has_state && !has_mallctl)
		return TAG_NOT_FOUND;
	if (is_foreign(&p->file))
		return TAG_ARCH;
	if (!find_code(&p->file, &out->code) || !tls_find_slot(&p->file, &out->slot))
		return TAG_IN_DSO;
	out->is_malloc = exports(&p->file, malloc_names);
	open_debug(p, l);
	if (!has_state)
		has_state = find_state(&p->debug, &state);
	if (has_state && !learn_from_debug(p, &state, out))
		return NULL;
	return has_mallctl ? learn_from_library(p, l, out) : TAG_IN_DSO;
}

const char *jemalloc_examine(const struct jemalloc_lookup *l, struct jemalloc_layout *out)
{
	_cleanup_(pair_finish) struct elf_pair p = { .debug.fd = -1 };
	Elf64_Phdr tls;
	const char *tag;

	*out = (struct jemalloc_layout){ .is_executable = l->is_executable };
	/* Most files end here: no thread-local data, no thread state. */
	if (elf_view_open_file(&p.file, l->fd) < 0 ||
	    !elf_view_find_segment(&p.file, PT_TLS, &tls) || tls.p_memsz < 2 * COUNTER_BYTES)
		return TAG_NOT_FOUND;
	out->tls_size = tls.p_memsz;
	out->tls_align = tls.p_align;
	tag = l->is_executable ? examine_executable(&p, l, out) : examine_library(&p, l, out);
	log_debug("ctprof", "jemalloc: %s: %s", l->path, tag ? tag : "found");
	return tag;
}
