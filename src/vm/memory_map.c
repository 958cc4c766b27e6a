// SPDX-License-Identifier: GPL-2.0-only
/* Parses descriptions of the guest's memory layout from QEMU and from the kernel. */
#include "vm/memory.h"

/* "  0000000100000000-000000017fffffff (prio 0, ram): ram0 @00000000c0000000 KVM" */
struct flat_line {
	uint64_t from, to, offset;
	unsigned int node;
};

static bool take_hex(const char **p, uint64_t *value)
{
	char *end;

	if (!strchr("0123456789abcdef", **p) || !**p)
		return false;
	*value = strtoull(*p, &end, 16);
	*p = end;
	return true;
}

static bool take_word(const char **p, const char *word)
{
	if (!str_starts(*p, word))
		return false;
	*p += strlen(word);
	return true;
}

static bool read_line(const char *p, struct flat_line *l)
{
	uint64_t node;

	p += strspn(p, " ");
	if (!take_hex(&p, &l->from) || !take_word(&p, "-") || !take_hex(&p, &l->to))
		return false;
	if (!take_word(&p, " (prio ") || !(p = strchr(p, ',')))
		return false;
	if (!take_word(&p, ", ram): ram") || !take_hex(&p, &node) || node >= VM_MAX_NODES)
		return false;
	l->node = (unsigned int)node;
	l->offset = 0;
	return !take_word(&p, " @") || take_hex(&p, &l->offset);
}

static int add_extent(struct vm_memory *m, const struct flat_line *l, const uint64_t *hosts)
{
	const struct vm_extent *last = m->count ? &m->extents[m->count - 1] : NULL;

	if (l->to < l->from || (last && l->from < last->guest + last->bytes))
		return err_set(EINVAL, "QEMU's layout of the guest's memory is out of order");
	if (!hosts[l->node])
		return err_set(ENXIO, "QEMU has not mapped the memory of node %u", l->node);
	if (m->count == VM_MAX_EXTENTS)
		return err_set(E2BIG, "the guest's memory is in more than %d pieces",
			       VM_MAX_EXTENTS);
	m->extents[m->count++] = (struct vm_extent){ .guest = l->from,
						     .bytes = l->to - l->from + 1,
						     .host = hosts[l->node] + l->offset };
	return 0;
}

/* The view of system memory starts with its name and ends with an empty line. */
static const char *find_view(const char *mtree)
{
	const char *view = strstr(mtree, "AS \"memory\", root: system");

	return view ? view : "";
}

int vm_memory_parse(struct vm_memory *m, const char *mtree, const uint64_t hosts[VM_MAX_NODES])
{
	const char *line = find_view(mtree);
	int rc = 0;

	m->count = 0;
	while (rc == 0 && *line && *line != '\r' && *line != '\n') {
		size_t len = strcspn(line, "\n");
		char text[256] = "";
		struct flat_line l;

		memcpy(text, line, MIN(len, sizeof(text) - 1));
		if (read_line(text, &l))
			rc = add_extent(m, &l, hosts);
		line += len + (line[len] == '\n');
	}
	if (rc == 0 && !m->count)
		rc = err_set(EINVAL, "QEMU's layout of the guest's memory has no RAM");
	return rc;
}

/*
 * Lines "START-END MODE OFFSET DEVICE INODE   NAME". The device is ignored: for overlays it differs
 * from stat().
 */
uint64_t vm_memory_mapped_at(const char *maps, const char *name, ino_t inode)
{
	size_t name_len = strlen(name);

	for (const char *line = maps; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		unsigned long long start, offset, number;
		int at = 0;

		/* NOLINTNEXTLINE(cert-err34-c): the kernel writes numbers that fit */
		if (sscanf(line, "%llx-%*x %*s %llx %*s %llu %n", &start, &offset, &number, &at) <
			    3 ||
		    !at || offset || number != inode)
			continue;
		if (strcspn(line + at, "\n") == name_len && memcmp(line + at, name, name_len) == 0)
			return start;
	}
	return 0;
}
