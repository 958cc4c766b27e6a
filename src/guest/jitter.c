// SPDX-License-Identifier: GPL-2.0-only
/* Programs the timer chip, and runs a process that takes CPUs away. */
#include "guest/order.h"

#include <sched.h>
#if defined(__x86_64__)
#include <sys/io.h>
#endif

#include "guest/parts.h"

#define CHIP_HZ 1193182
#define CHIP_MAX_COUNT 65535
#define CHIP_DATA 0x40
#define CHIP_COMMAND 0x43
#define CHIP_RATE_GENERATOR 0x34 /* channel 0, low and high byte, periodic */
#define PRIORITY 90
#define LONGEST_BURN_US 500

/* A vCPU's turn is its part of the time until the chip fires. */
uint32_t jitter_chip_count(uint32_t slice_us, unsigned int cpus)
{
	uint64_t count = (uint64_t)slice_us * cpus * CHIP_HZ / 1000000;

	return cpus < 2 ? 0 : (uint32_t)MIN(count, CHIP_MAX_COUNT);
}

int jitter_set_slice(uint32_t slice_us)
{
	uint32_t count = jitter_chip_count(slice_us, (unsigned int)sysconf(_SC_NPROCESSORS_ONLN));

	if (count == 0)
		return 0;
	if (count < 2)
		return -EINVAL;
#if defined(__x86_64__)
	if (ioperm(CHIP_DATA, CHIP_COMMAND - CHIP_DATA + 1, 1) < 0)
		return -errno;
	outb(CHIP_RATE_GENERATOR, CHIP_COMMAND);
	outb((unsigned char)(count & 255), CHIP_DATA);
	outb((unsigned char)(count >> 8), CHIP_DATA);
	return 0;
#else
	return -ENOTSUP;
#endif
}

uint32_t jitter_slice_us(uint64_t seed)
{
	return 100 + (uint32_t)(seed_next(&seed) % 1901);
}

struct jitter_delay jitter_next_delay(uint64_t *state, unsigned int cpus, uint32_t per_second)
{
	struct jitter_delay d;

	/* The mean is half of the maximum. */
	d.sleep_us = 1 + (uint32_t)(seed_next(state) % (2000000 / per_second));
	d.burn_us = 1 + (uint32_t)(seed_next(state) % LONGEST_BURN_US);
	d.cpu = (unsigned int)(seed_next(state) % cpus);
	return d;
}

static void delay(const struct jitter_delay *d)
{
	cpu_set_t cpus;
	uint64_t end;

	clock_sleep_ns((uint64_t)d->sleep_us * 1000);
	CPU_ZERO(&cpus);
	CPU_SET(d->cpu, &cpus);
	/* If that CPU is offline by now, any other will do. */
	sched_setaffinity(0, sizeof(cpus), &cpus);
	end = clock_mono_ns() + (uint64_t)d->burn_us * 1000;
	while (clock_mono_ns() < end)
		;
}

static void be_in_the_way(uint64_t seed, uint32_t per_second) __attribute__((noreturn));

static void be_in_the_way(uint64_t seed, uint32_t per_second)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct sched_param p = { .sched_priority = PRIORITY };

	sched_setscheduler(0, SCHED_FIFO, &p);
	for (;;) {
		struct jitter_delay d =
			jitter_next_delay(&seed, cpus > 0 ? (unsigned int)cpus : 1, per_second);

		delay(&d);
	}
}

int jitter_start_delays(uint64_t seed, uint32_t per_second)
{
	pid_t pid;

	if (per_second == 0)
		return 0;
	if (per_second > JITTER_MAX_DELAYS)
		return -EINVAL;
	pid = fork();
	if (pid == 0) /* a different sequence than that of the slice */
		be_in_the_way(seed ^ 0x6a69747465720000, per_second);
	return pid < 0 ? -errno : 0;
}
