/* SPDX-License-Identifier: GPL-2.0-only */
/* The scheduling domains of each CPU, from the smallest to the whole machine. */
#ifndef KTSTR_WATCH_DOMAINS_H
#define KTSTR_WATCH_DOMAINS_H

#include "watch/space.h"

#define DOMAINS_NAME 16

/* Numbers in the order of the rows of domains.c. */
#define DOMAIN_NUMBERS 21
#define DOMAIN_ARRAYS 11
#define DOMAIN_IDLE_TYPES 3 /* enum cpu_idle_type of the kernel */

struct domain_view {
	unsigned int cpu;
	char name[DOMAINS_NAME]; /* "SMT", "MC", "PKG"; "" = not known */
	bool is_known[DOMAIN_NUMBERS];
	uint64_t numbers[DOMAIN_NUMBERS];
	bool has_array[DOMAIN_ARRAYS];
	uint32_t arrays[DOMAIN_ARRAYS][DOMAIN_IDLE_TYPES];
};

struct domains {
	VEC(struct domain_view) items; /* CPU by CPU */
};

/* -ENOMEM only; what cannot be read is not there, or not known. */
int domains_read(struct domains *d, struct space *space, unsigned int cpu_count);
void domains_finish(struct domains *d);

/* Member "sched_domains", an array, of the object that is being written. */
void domains_put_json(const struct domains *d, unsigned int cpu, struct json *j);

#endif
