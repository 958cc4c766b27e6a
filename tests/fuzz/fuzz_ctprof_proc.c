// SPDX-License-Identifier: GPL-2.0-only
/* Every parser of procfs and cgroup text; the first byte chooses which. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ctprof/proc_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse(int which, const char *text, size_t len, struct arena *arena)
{
	struct thread_record t = {};
	struct named_list list = {};
	struct proc_slice slice = {};
	struct psi_line some, full;
	struct proc_negatives negatives = {};
	struct proc_stat stat;
	uint64_t number;

	switch (which % 12) {
	case 0:
		proc_parse_stat(text, len, arena, &t, &stat);
		break;
	case 1:
		proc_parse_schedstat(text, &t);
		break;
	case 2:
		proc_parse_status(text, len, &t, &slice);
		break;
	case 3:
		proc_parse_io(text, len, &t);
		break;
	case 4:
		proc_parse_sched(text, len, &t, &negatives);
		break;
	case 5:
		proc_parse_cgroup(text, len, &slice);
		break;
	case 6:
		proc_parse_smaps(text, len, arena, &list);
		break;
	case 7:
		proc_parse_flat(text, len, arena, &list);
		break;
	case 8:
		proc_parse_psi(text, len, &some, &full);
		break;
	case 9:
		proc_parse_dotted(text, &number);
		break;
	case 10:
		proc_parse_cpu_busy(text, len % 2, &number);
		break;
	default:
		proc_parse_io_stat(text, len, arena, &list);
	}
	/* What a slice points to must be inside of the text. */
	if (slice.text && (slice.text < text || slice.text + slice.len > text + len))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {};
	char *text;

	if (size == 0)
		return 0;
	text = malloc(size);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	parse(data[0], text, size - 1, &arena);
	free(text);
	arena_finish(&arena);
	return 0;
}
