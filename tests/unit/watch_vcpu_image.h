/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables that say how stacks are to be read, in an image, and a stack. */
#ifndef KTSTR_WATCH_VCPU_IMAGE_H
#define KTSTR_WATCH_VCPU_IMAGE_H

#include "watch_image.h"

#define ORC_HEADER 0x2f00
#define ORC_IPS 0x3000
#define ORC_ENTRIES 0x4000
#define STACK (IMAGE_HEAP + 0x1000)
#define STACK_AT(offset) (IMAGE_DIRECT + STACK + (offset))
#define CODE(offset) (IMAGE_TEXT + (offset))

/* From asm/orc_types.h of the kernel: where the stack was, by what, and what lies there. */
enum { SP = 5, BP = 4, SP_INDIRECT = 9, BP_INDIRECT = 8, PREV_SP = 1 };
enum { END = 1, CALL = 2, REGS = 3, PARTIAL = 4 };

static inline void put_orc(struct image *m, unsigned int i, uint64_t code, int sp_offset,
			   int bp_offset, unsigned int bits)
{
	uint64_t ip = m->load + ORC_IPS + 4ULL * i, entry = m->load + ORC_ENTRIES + 6ULL * i;

	image_put(m, ip, CODE(code) - CODE(ORC_IPS + 4ULL * i), 4);
	image_put(m, entry, (uint16_t)sp_offset, 2);
	image_put(m, entry + 2, (uint16_t)bp_offset, 2);
	image_put(m, entry + 4, bits, 2);
}

static inline void vcpu_image_fill(struct image *m)
{
	static const char hash[] = "\xfe\x5d\x32\xbf\x58\x1b\xd6\x3b\x2c\xa9"
				   "\xa5\xc6\x5b\xa5\xa6\x25\xea\xb3\xfe\x24";

	memcpy(m->data + m->load + ORC_HEADER, hash, sizeof(hash) - 1);
	m->layout.symbols[SYM_TEXT_END] = CODE(0x10000);
	m->layout.symbols[SYM_ORC_HEADER] = CODE(ORC_HEADER);
	m->layout.symbols[SYM_ORC] = CODE(ORC_ENTRIES);
	m->layout.symbols[SYM_ORC_IP] = CODE(ORC_IPS);
	m->layout.symbols[SYM_ORC_IP_END] = CODE(ORC_IPS + 4 * 7);
	put_orc(m, 0, 0x100, 16, 0, SP | CALL << 8);
	put_orc(m, 1, 0x200, 8, -16, BP | PREV_SP << 4 | CALL << 8);
	put_orc(m, 2, 0x300, 0, 0, SP | REGS << 8 | 1 << 11);
	put_orc(m, 3, 0x400, 8, 0, SP_INDIRECT | CALL << 8);
	put_orc(m, 4, 0x500, 16, 0, BP_INDIRECT | CALL << 8);
	put_orc(m, 5, 0x600, 24, 0, SP | PARTIAL << 8 | 1 << 11);
	put_orc(m, 6, 0x700, 8, 0, END << 8);
	/* What lies behind the table is no part of it. */
	for (unsigned int i = 7; i < 128; i++)
		image_put(m, m->load + ORC_IPS + 4ULL * i, CODE(0) - CODE(ORC_IPS + 4ULL * i), 4);
}

/* Two CPUs, the second cut off. */
static const char vcpu_registers[] =
	"\nCPU#0\nRAX=0000000000000001 RBX=2 RCX=3 RDX=4\nRSI=5 RDI=6 RBP=7 RSP=8\n"
	"R8 =9 R9 =a R10=b R11=c\nR12=d R13=e R14=f R15=10\n"
	"RIP=ffffffff81000110 RFL=00000246 [---Z-P-] CPL=0 II=0 A20=1 SMM=0 HLT=1\n"
	"CR0=80050033 CR2=11 CR3=12 CR4=13\nCPU#1\nRAX=1 RBX=cut off\n";

#endif
