// SPDX-License-Identifier: GPL-2.0-only
/* Finds TLS blocks on x86-64 and AArch64. */
#include "ctprof/jemalloc_parts.h"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include "ctprof/proc_parse.h"

#define BLOCK_MAX (1ULL << 30) /* larger values are invalid */
#define MODULES_MAX (1u << 20)

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#define DTV_POINTER_AT 8 /* tcbhead_t: tcb, dtv, … */
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#define DTV_POINTER_AT 0
#else
#define OUR_MACHINE EM_NONE
#define DTV_POINTER_AT 0
#endif

static const struct tls_relocs {
	uint16_t machine;
	uint32_t distance, module, descriptor;
} relocs[] = {
	{ EM_X86_64, R_X86_64_TPOFF64, R_X86_64_DTPMOD64, R_X86_64_TLSDESC },
	{ EM_AARCH64, R_AARCH64_TLS_TPREL, R_AARCH64_TLS_DTPMOD, R_AARCH64_TLSDESC },
};

uint16_t tls_our_machine(void)
{
	return OUR_MACHINE;
}

struct slot_search {
	const struct elf_view *file;
	const struct tls_relocs *relocs;
	struct tls_slot best;
};

static enum tls_slot_kind slot_kind(const struct tls_relocs *t, uint32_t type)
{
	if (type == t->distance)
		return TLS_SLOT_DISTANCE;
	if (type == t->module)
		return TLS_SLOT_MODULE;
	return type == t->descriptor ? TLS_SLOT_DESCRIPTOR : TLS_SLOT_NONE;
}

/* Skips slots for symbols of other modules, such as errno of libc. */
static bool consider_reloc(const void *rela, void *context)
{
	struct slot_search *s = context;
	enum tls_slot_kind kind;
	Elf64_Sym symbol = {};
	Elf64_Rela r;

	memcpy(&r, rela, sizeof(r));
	kind = slot_kind(s->relocs, (uint32_t)ELF64_R_TYPE(r.r_info));
	if (kind <= s->best.kind)
		return false;
	if (ELF64_R_SYM(r.r_info) &&
	    (!elf_dynamic_symbol(s->file, ELF64_R_SYM(r.r_info), &symbol) ||
	     symbol.st_shndx == SHN_UNDEF))
		return false;
	s->best = (struct tls_slot){ kind, r.r_offset, symbol.st_value + (uint64_t)r.r_addend };
	return kind == TLS_SLOT_DISTANCE;
}

bool tls_find_slot(const struct elf_view *f, struct tls_slot *out)
{
	struct slot_search s = { .file = f };

	for (size_t i = 0; i < ARRAY_SIZE(relocs); i++)
		if (relocs[i].machine == f->header.e_machine)
			s.relocs = &relocs[i];
	if (!s.relocs)
		return false;
	elf_each_reloc(f, consider_reloc, &s);
	*out = s.best;
	return s.best.kind != TLS_SLOT_NONE;
}

static uint64_t round_up(uint64_t value, uint64_t align)
{
	return (value + align - 1) & ~(align - 1);
}

bool tls_place_executable(uint16_t machine, uint64_t size, uint64_t align, struct tls_place *out)
{
	if (align == 0)
		align = 1;
	if (size > BLOCK_MAX || align > BLOCK_MAX || (align & (align - 1)))
		return false;
	*out = (struct tls_place){};
	if (machine == EM_X86_64) /* the block ends at the thread pointer */
		out->distance = -(int64_t)round_up(size, align);
	else if (machine == EM_AARCH64) /* the block begins after two words */
		out->distance = (int64_t)round_up(16, align);
	else
		return false;
	return true;
}

/* False, too, for a slot that the dynamic linker has not filled in yet. */
static bool is_possible_distance(int64_t distance, uint64_t size)
{
	if (OUR_MACHINE == EM_X86_64)
		return distance <= -(int64_t)size && distance > -(int64_t)BLOCK_MAX;
	return distance >= 16 && distance < (int64_t)BLOCK_MAX;
}

static const char *place_by_distance(uint64_t value, const struct tls_slot *slot, uint64_t size,
				     struct tls_place *out)
{
	*out = (struct tls_place){ .distance = (int64_t)(value - slot->offset) };
	return is_possible_distance(out->distance, size) ? NULL : TAG_TLS;
}

static const char *place_by_module(uint64_t module, struct tls_place *out)
{
	*out = (struct tls_place){ .is_module = true, .module = module };
	return module >= 1 && module <= MODULES_MAX ? NULL : TAG_TLS;
}

/*
 * The argument of a descriptor is the distance or, if the block is not static, the address of a
 * pair: module and offset. A distance is not a valid address, and the known offset verifies the
 * pair.
 */
static const char *place_by_descriptor(pid_t pid, const struct tls_slot *slot, uint64_t argument,
				       uint64_t size, struct tls_place *out)
{
	uint64_t pair[2];

	if (!process_read(pid, argument, pair, sizeof(pair)))
		return place_by_distance(argument, slot, size, out);
	return pair[1] == slot->offset ? place_by_module(pair[0], out) : TAG_TLS;
}

const char *tls_place_library(pid_t pid, const struct tls_slot *slot, uint64_t address,
			      uint64_t size, struct tls_place *out)
{
	uint64_t words[2] = {};

	if (size > BLOCK_MAX)
		return TAG_TLS;
	if (slot->kind == TLS_SLOT_DESCRIPTOR) {
		if (!process_read(pid, address, words, sizeof(words)))
			return TAG_VM_READV;
		return place_by_descriptor(pid, slot, words[1], size, out);
	}
	if (!process_read(pid, address, words, sizeof(words[0])))
		return TAG_VM_READV;
	if (slot->kind == TLS_SLOT_MODULE)
		return place_by_module(words[0], out);
	return place_by_distance(words[0], slot, size, out);
}

/* glibc's vector: entries of two words; entry -1 holds the number of the last one. */
static const char *block_of_module(pid_t pid, uint64_t module, uint64_t thread_pointer,
				   uint64_t *out)
{
	uint64_t vector, last, block;

	if (!process_read(pid, thread_pointer + DTV_POINTER_AT, &vector, sizeof(vector)) ||
	    !process_read(pid, vector - 16, &last, sizeof(last)))
		return TAG_VM_READV;
	if (last > MODULES_MAX)
		return TAG_TLS;
	*out = 0;
	if (module > last)
		return NULL;
	if (!process_read(pid, vector + 16 * module, &block, sizeof(block)))
		return TAG_VM_READV;
	if (block != UINT64_MAX)
		*out = block;
	return NULL;
}

const char *tls_block(pid_t pid, const struct tls_place *place, uint64_t thread_pointer,
		      uint64_t *out)
{
	if (thread_pointer == 0) /* the C library has not set it up yet */
		return TAG_TLS;
	if (place->is_module)
		return block_of_module(pid, place->module, thread_pointer, out);
	*out = thread_pointer + (uint64_t)place->distance;
	return NULL;
}

#if defined(__x86_64__)
#define MAX_DESCRIPTOR 1024 /* bytes of glibc's struct pthread before the list; about 740 */
#define TID_WORDS_BEFORE 2  /* before the list head; the word between is the end of the list */

/* Thread ID in the pid namespace of the thread. */
static uint64_t own_tid(pid_t tid)
{
	_str_ struct str status = {};
	const char *at;
	uint64_t number = 0;
	char name[32];

	snprintf(name, sizeof(name), "/proc/%d/status", (int)tid);
	if (file_read_at(AT_FDCWD, name, &status) < 0)
		return 0;
	at = strstr(str_get(&status), "\nNSpid:");
	at = at ? at + strlen("\nNSpid:") : "";
	while (*at == '\t') {
		at++;
		if (!text_take_u64(&at, &number))
			return 0;
	}
	return number;
}

/* glibc stores the TID before the list; it shows whether the list belongs to this thread. */
static bool is_own_list(pid_t tid, uint64_t number)
{
	number &= UINT32_MAX;
	return number && (number == (uint64_t)tid || number == own_tid(tid));
}

/*
 * glibc registers the address of each thread's list of robust mutexes, which is some bytes after
 * the thread pointer. At the thread pointer, the first and the third word are its own address.
 */
uint64_t tls_running_thread_pointer(pid_t tid)
{
	uint64_t words[MAX_DESCRIPTOR / sizeof(uint64_t)], head = 0, found = 0, len = 0;
	const size_t count = ARRAY_SIZE(words);

	if (syscall(SYS_get_robust_list, tid, &head, &len) < 0 || head % sizeof(words[0]) ||
	    head <= sizeof(words) ||
	    !process_read(tid, head - sizeof(words), words, sizeof(words)) ||
	    !is_own_list(tid, words[count - TID_WORDS_BEFORE]))
		return 0;
	for (size_t i = 0; i + 2 < count; i++) {
		uint64_t address = head - (count - i) * sizeof(words[0]);

		if (words[i] != address || words[i + 2] != address)
			continue;
		if (found)
			return 0;
		found = address;
	}
	return found;
}
#else
uint64_t tls_running_thread_pointer(pid_t tid _unused_)
{
	return 0;
}
#endif

#if defined(__x86_64__)
const char *tls_thread_pointer(pid_t tid, uint64_t *out)
{
	struct user_regs_struct registers;
	struct iovec v = { &registers, sizeof(registers) };

	if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &v) < 0)
		return TAG_REGSET;
	if (v.iov_len != sizeof(registers)) /* a 32-bit thread has fewer */
		return TAG_ARCH;
	*out = registers.fs_base;
	return NULL;
}
#elif defined(__aarch64__)
const char *tls_thread_pointer(pid_t tid, uint64_t *out)
{
	uint64_t registers[2] = {}; /* TPIDR_EL0, and on newer kernels TPIDR2_EL0 */
	struct iovec v = { registers, sizeof(registers) };

	if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_ARM_TLS, &v) < 0 ||
	    v.iov_len < sizeof(registers[0]))
		return TAG_REGSET;
	*out = registers[0];
	return NULL;
}
#else
const char *tls_thread_pointer(pid_t tid _unused_, uint64_t *out _unused_)
{
	return TAG_ARCH;
}
#endif
