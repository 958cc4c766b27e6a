// SPDX-License-Identifier: GPL-2.0-only
/* /proc/cpuinfo, and a table of -cpu options by processor. */
#include "vm/spec.h"

#include "host/context.h"

#define AMD "AuthenticAMD"
#define HYGON "HygonGenuine"

/*
 * -cpu host leaves topoext off. Without topoext Linux ignores the cache leaf of an AMD CPU and
 * treats a socket as one LLC, and QEMU supports no SMT. With topoext Linux uses the leaf from
 * family 23 model 0x20 on; before that, whatever the leaf says, an LLC is eight APIC IDs (Zen 1,
 * Hygon) or a node (older). Model 0x20 is the last Zen 1: in everything else the kernel treats it
 * as the models before.
 */
static const struct {
	const char *vendor;
	unsigned int last_family, last_model; /* upper bounds; the first matching row applies */
	const char *options;
} rows[] = {
	{ AMD, 22, UINT_MAX, ",topoext=on,family=23,model=32" },
	{ AMD, 23, 0x1f, ",topoext=on,model=32" },
	{ AMD, UINT_MAX, UINT_MAX, ",topoext=on" },
	{ HYGON, UINT_MAX, UINT_MAX, ",topoext=on,vendor=" AMD ",family=23,model=32" },
};

static unsigned int find_number(const char *text, const char *name)
{
	_free_ char *value = host_line_value(text, name);
	const char *p = value;
	uint64_t number;

	return p && parse_digits(&p, &number) == 0 ? (unsigned int)MIN(number, UINT_MAX) : 0;
}

void vm_host_cpu_read(const struct roots *roots, struct vm_host_cpu *out)
{
	_str_ struct str text = {};
	_free_ char *vendor = NULL;

	*out = (struct vm_host_cpu){};
	if (root_read(roots->proc, &text, "cpuinfo") < 0)
		return;
	vendor = host_line_value(str_get(&text), "vendor_id");
	snprintf(out->vendor, sizeof(out->vendor), "%.*s", VM_CPU_VENDOR_SIZE - 1,
		 vendor ? vendor : "");
	out->family = find_number(str_get(&text), "cpu family");
	out->model = find_number(str_get(&text), "model");
}

static bool is_at_most(const struct vm_host_cpu *cpu, unsigned int family, unsigned int model)
{
	return cpu->family < family || (cpu->family == family && cpu->model <= model);
}

const char *vm_host_cpu_options(const struct vm_host_cpu *cpu)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (str_eq(rows[i].vendor, cpu->vendor) &&
		    is_at_most(cpu, rows[i].last_family, rows[i].last_model))
			return rows[i].options;
	return "";
}

void vm_host_cpu_identity(const struct roots *roots, struct str *out)
{
	static const char *const keys[] = { "vendor_id", "cpu family", "model",
					    "stepping",	 "microcode",  "flags" };
	_str_ struct str text = {}, release = {};

	root_read(roots->proc, &text, "cpuinfo");
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		_free_ char *value = host_line_value(str_get(&text), keys[i]);

		if (value)
			str_addf(out, "host %s %s\n", keys[i], value);
	}
	if (root_read_line(roots->proc, &release, "sys/kernel/osrelease") == 0)
		str_addf(out, "host kernel %s\n", str_get(&release));
}
