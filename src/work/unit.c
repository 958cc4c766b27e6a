// SPDX-License-Identifier: GPL-2.0-only
/*
 * A unit of spinning is the CPU's spin hint. An emulated CPU leaves its loop at each hint,
 * which takes a thousand times as long as any other instruction; there a unit is as many
 * plain instructions as take the time of a hint.
 *
 * The loops are aligned so that none crosses a page, which is expensive for emulation, too.
 */
#include "work/worker.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

static bool is_emulated;

#if defined(__x86_64__) || defined(__i386__)
#define HYPERVISOR_LEAF 0x40000000U
#define HYPERVISOR_BIT (1U << 31)

/* QEMU reports this name when it emulates; hypervisors that use the real CPU have other names. */
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
/* No such name here: use the hint. */
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
 * As many instructions as take about the time of a hint, without jumps, which are expensive
 * in emulation. The hint at the end gives the other emulated CPUs their turn: the time to
 * the next timer is divided again at each turn, so without the hint the first CPUs would
 * get up to three times as much.
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
