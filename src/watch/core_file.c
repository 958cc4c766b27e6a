// SPDX-License-Identifier: GPL-2.0-only
/* Writes ELF: headers, notes, and the extents of memory one after the other. */
#include "watch/parts.h"

#include <elf.h>

#define PAGE 4096ULL
#define CHUNK (64U << 10) /* read at once, and skipped if all zero */
#define MAX_LOADS 16384
#define MAX_VMCOREINFO (64U << 10)
#define USUAL_IMAGE_BYTES (64ULL << 20)
#define VMALLOC_BYTES (32ULL << 40)   /* for four levels; more is not used */
#define MODULES 0xffffffffc0000000ULL /* x86-64: modules and BPF code */
#define MODULES_END 0xffffffffff000000ULL
#define SLICE (1ULL << 36)
#define MAPPED_LIMIT_NS (5 * NSEC_PER_SEC)
#define STATUS_HEAD 112 /* of struct elf_prstatus, before the registers */
#define STATUS_PID 32
#define STATUS_TAIL 8

struct core {
	struct space *space;
	struct file_atomic file;
	const char *path;
	VEC(Elf64_Phdr) loads;
	struct str notes;
	uint64_t begin; /* file offset of the memory */
	uint64_t deadline_ns;
};

static bool is_arm64(const struct core *c)
{
	return c->space->machine == &space_arm64;
}

/* Offset from the first byte of memory in the file; false = not in any extent. */
static bool place_of(const struct core *c, uint64_t physical, uint64_t *at, uint64_t *left)
{
	const struct vm_memory *m = c->space->memory;
	uint64_t before = 0;

	array_each(const struct vm_extent, e, m->extents, m->count) {
		if (physical >= e->guest && physical - e->guest < e->bytes) {
			*at = before + physical - e->guest;
			*left = e->bytes - (physical - e->guest);
			return true;
		}
		before += e->bytes;
	}
	return false;
}

/* Merges pages that are adjacent both virtually and physically. */
static int add_load(struct core *c, uint64_t address, uint64_t physical, uint64_t bytes)
{
	Elf64_Phdr *last = c->loads.count ? &c->loads.items[c->loads.count - 1] : NULL;
	uint64_t at, left;

	if (!place_of(c, physical, &at, &left))
		return 0;
	bytes = MIN(bytes, left);
	if (last && last->p_vaddr + last->p_memsz == address &&
	    last->p_paddr + last->p_memsz == physical && last->p_offset + last->p_filesz == at) {
		last->p_memsz += bytes;
		last->p_filesz = last->p_memsz;
		return 0;
	}
	if (c->loads.count == MAX_LOADS)
		return 0;
	return vec_push(&c->loads, ((Elf64_Phdr){ .p_type = PT_LOAD,
						  .p_flags = PF_R | PF_W | PF_X,
						  .p_offset = at,
						  .p_vaddr = address,
						  .p_paddr = physical,
						  .p_filesz = bytes,
						  .p_memsz = bytes }));
}

static int add_image(struct core *c)
{
	uint64_t text = space_symbol(c->space, SYM_TEXT), end = space_symbol(c->space, SYM_END);
	uint64_t physical;

	if (!space_physical(c->space, text, 1, &physical))
		return 0;
	return add_load(c, text, physical, end > text ? end - text : USUAL_IMAGE_BYTES);
}

static int add_linear(struct core *c)
{
	const struct vm_memory *m = c->space->memory;
	const struct space_range *l = &c->space->linear;
	int rc = 0;

	array_each_while(const struct vm_extent, e, m->extents, m->count, rc == 0) {
		bool is_mapped = e->guest >= l->physical && e->guest - l->physical < l->bytes;

		/* Memory without a mapping gets its physical address. */
		rc = add_load(c, is_mapped ? l->base + e->guest - l->physical : e->guest, e->guest,
			      e->bytes);
	}
	return rc;
}

static bool is_enough(const struct core *c)
{
	return c->loads.count == MAX_LOADS || clock_mono_ns() > c->deadline_ns;
}

static int add_slice(struct core *c, uint64_t at, uint64_t end)
{
	int rc = 0;

	for (at = space_next_page(c->space, at, end); at < end && rc == 0 && !is_enough(c);
	     at = space_next_page(c->space, at, end)) {
		uint64_t physical, left;

		if (!space_walk(c->space, at, &physical, &left))
			break;
		rc = add_load(c, at, physical, left);
		at += MIN(left, end - at);
	}
	return rc;
}

/* Adds stacks, BPF maps and programs. Page tables may be forged: the number is limited. */
static int add_mapped(struct core *c, uint64_t at, uint64_t end)
{
	int rc = 0;

	for (; at < end && rc == 0 && !is_enough(c); at += MIN(SLICE, end - at))
		rc = add_slice(c, at, at + MIN(SLICE, end - at));
	return rc;
}

static int add_loads(struct core *c)
{
	uint64_t at = space_symbol(c->space, SYM_VMALLOC_BASE), base;
	int rc = add_image(c) ?: add_linear(c);

	if (rc < 0 || is_arm64(c))
		return rc;
	if (at && space_read_u64(c->space, at, &base) && space_is_kernel(c->space, base))
		rc = add_mapped(c, base, base + VMALLOC_BYTES);
	return rc ?: add_mapped(c, MODULES, MODULES_END);
}

static void add_note(struct core *c, const char *name, uint32_t type, const void *data, size_t len)
{
	static const char zeros[4];
	Elf64_Nhdr head = { .n_namesz = (uint32_t)strlen(name) + 1,
			    .n_descsz = (uint32_t)len,
			    .n_type = type };

	str_addn(&c->notes, &head, sizeof(head));
	str_addn(&c->notes, name, head.n_namesz);
	str_addn(&c->notes, zeros, -head.n_namesz & 3);
	str_addn(&c->notes, data, len);
	str_addn(&c->notes, zeros, -len & 3);
}

/*
 * In the order of struct user_regs_struct; registers unknown to QEMU have the kernel's usual
 * values.
 */
static size_t put_x86(const struct vcpu *v, uint64_t *out)
{
	static const int order[] = { VCPU_R15, VCPU_R14, VCPU_R13, VCPU_R12, VCPU_RBP, VCPU_RBX,
				     VCPU_R11, VCPU_R10, VCPU_R9,  VCPU_R8,  VCPU_RAX, VCPU_RCX,
				     VCPU_RDX, VCPU_RSI, VCPU_RDI, VCPU_RAX, VCPU_RIP };
	static const uint64_t kernel_code = 0x10, kernel_data = 0x18;
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		out[n++] = v->registers[order[i]];
	out[n++] = kernel_code;
	out[n++] = v->registers[VCPU_RFL];
	out[n++] = v->registers[VCPU_RSP];
	out[n++] = kernel_data;
	for (int i = 0; i < 6; i++) /* bases and selectors */
		out[n++] = 0;
	return n;
}

static void add_vcpu(struct core *c, const struct vcpu *v)
{
	uint64_t registers[MAX((int)VCPU_ARM_REGISTER_COUNT, 32)];
	char status[STATUS_HEAD + sizeof(registers) + STATUS_TAIL] = {};
	size_t count = VCPU_ARM_REGISTER_COUNT;
	uint32_t pid = v->number + 1;

	if (v->is_arm64)
		memcpy(registers, v->registers, count * sizeof(*registers));
	else
		count = put_x86(v, registers);
	memcpy(status + STATUS_PID, &pid, sizeof(pid));
	memcpy(status + STATUS_HEAD, registers, count * sizeof(*registers));
	add_note(c, "CORE", NT_PRSTATUS, status,
		 STATUS_HEAD + count * sizeof(*registers) + STATUS_TAIL);
}

/* The kernel's VMCOREINFO note for readers of its dumps: addresses and sizes. */
static void add_vmcoreinfo(struct core *c)
{
	uint64_t at = space_symbol(c->space, SYM_VMCOREINFO), data, size;
	uint64_t size_at = space_symbol(c->space, SYM_VMCOREINFO_SIZE);
	_free_ char *text = NULL;

	if (!at || !size_at || !space_read_u64(c->space, at, &data) ||
	    !space_read_u64(c->space, size_at, &size) || !size || size > MAX_VMCOREINFO)
		return;
	text = malloc(size);
	if (text && space_read(c->space, data, text, size))
		add_note(c, "VMCOREINFO", 0, text, size);
}

static int write_at(struct core *c, const void *data, size_t len, uint64_t at)
{
	const char *from = data;

	while (len) {
		ssize_t n = pwrite(c->file.fd, from, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_sys(n < 0 ? errno : EIO, "write %s", c->path);
		from += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

static int write_head(struct core *c)
{
	Elf64_Ehdr head = { .e_type = ET_CORE,
			    .e_machine = is_arm64(c) ? EM_AARCH64 : EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_phoff = sizeof(head),
			    .e_ehsize = sizeof(head),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = (Elf64_Half)(c->loads.count + 1) };
	Elf64_Phdr note = { .p_type = PT_NOTE, .p_filesz = c->notes.len };
	int rc;

	memcpy(head.e_ident, ELFMAG, SELFMAG);
	head.e_ident[EI_CLASS] = ELFCLASS64;
	head.e_ident[EI_DATA] = ELFDATA2LSB;
	head.e_ident[EI_VERSION] = EV_CURRENT;
	note.p_offset = sizeof(head) + head.e_phnum * sizeof(note);
	c->begin = (note.p_offset + c->notes.len + PAGE - 1) & ~(PAGE - 1);
	vec_each(Elf64_Phdr, load, &c->loads)
		load->p_offset += c->begin;
	rc = write_at(c, &head, sizeof(head), 0);
	rc = rc ?: write_at(c, &note, sizeof(note), sizeof(head));
	rc = rc	   ?:
		     write_at(c, c->loads.items, c->loads.count * sizeof(note),
			      sizeof(head) + sizeof(note));
	return rc ?: write_at(c, str_get(&c->notes), c->notes.len, note.p_offset);
}

static bool is_empty(const char *data, size_t len)
{
	return !len || (!data[0] && memcmp(data, data + 1, len - 1) == 0);
}

/* Unreadable memory stays a hole, like empty memory. */
static int write_extent(struct core *c, const struct vm_extent *e, uint64_t at, char *chunk)
{
	int rc = 0;

	for (uint64_t done = 0; done < e->bytes && rc == 0; done += CHUNK) {
		size_t len = MIN((uint64_t)CHUNK, e->bytes - done);

		if (vm_memory_read(c->space->memory, e->guest + done, chunk, len) == 0 &&
		    !is_empty(chunk, len))
			rc = write_at(c, chunk, len, at + done);
	}
	return rc;
}

static int write_memory(struct core *c)
{
	_free_ char *chunk = malloc(CHUNK);
	uint64_t at = c->begin;
	int rc = chunk ? 0 : err_no_memory();

	for (size_t i = 0; i < c->space->memory->count && rc == 0; i++) {
		rc = write_extent(c, &c->space->memory->extents[i], at, chunk);
		at += c->space->memory->extents[i].bytes;
	}
	if (rc == 0 && ftruncate(c->file.fd, (off_t)at) < 0)
		rc = err_sys(errno, "write %s", c->path);
	return rc;
}

int core_file_write(const char *path, struct space *space, const struct vcpus *vcpus)
{
	struct core c = { .space = space,
			  .path = path,
			  .deadline_ns = clock_mono_ns() + MAPPED_LIMIT_NS };
	int rc = file_atomic_open(&c.file, path, 0600);

	if (rc < 0)
		return rc;
	rc = add_loads(&c);
	vec_each(const struct vcpu, v, &vcpus->items)
		add_vcpu(&c, v);
	add_vmcoreinfo(&c);
	rc = rc ?: str_check(&c.notes);
	rc = rc ?: write_head(&c);
	rc = rc ?: write_memory(&c);
	rc = rc ?: file_atomic_commit(&c.file);
	file_atomic_finish(&c.file);
	free(c.loads.items);
	str_finish(&c.notes);
	return rc;
}
