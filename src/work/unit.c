// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a unit of spinning is made of: the CPU's hint that somebody spins. An emulated
 * CPU leaves its loop at each hint, which is a thousand times the price of any other
 * instruction; there a unit is as many plain instructions as a hint would take time.
 *
 * The loops are aligned so that none crosses a page: emulation pays for that as well.
 */
#include "work/worker.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

static bool is_emulated;

#if defined(__x86_64__) || defined(__i386__)
#define HYPERVISOR_LEAF 0x40000000U
#define HYPERVISOR_BIT (1U << 31)

/* What QEMU says when it emulates; a hypervisor that runs on the CPU has another name. */
void worker_choose_unit(void)
{
	static const char name[] = "TCGTCGTCGTCG";
	unsigned int a, words[3], c, d;

	__cpuid(1, a, words[0], c, d);
	if (!(c & HYPERVISOR_BIT))
		return;
	__cpuid(HYPERVISOR_LEAF, a, words[0], words[1], words[2]);
	is_emulated = memcmp(words, name, sizeof(words)) == 0;
}

#define RELAX "pause"
#else
/* No name to ask for: the hint is taken as it is. */
void worker_choose_unit(void)
{
}

#ifdef __aarch64__
#define RELAX "yield"
#else
#define RELAX ""
#endif
#endif

__attribute__((noinline, aligned(64))) static void relax_by_hints(uint64_t units)
{
	while (units--)
		__asm__ volatile(RELAX);
}

/*
 * As many instructions as take about the time of a hint, in one piece: an emulated
 * CPU pays for every jump. The hint at the end gives the other emulated CPUs their turn:
 * the rest of the time to the next timer is divided anew at each turn, so without it
 * those that come first get up to three times as much.
 */
__attribute__((noinline, aligned(64))) static void relax_plainly(uint64_t units)
{
	while (units--)
		__asm__ volatile(".rept 30; nop; .endr");
	__asm__ volatile(RELAX);
}

void worker_relax(uint64_t units)
{
	if (is_emulated)
		relax_plainly(units);
	else
		relax_by_hints(units);
}
