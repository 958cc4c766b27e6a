// SPDX-License-Identifier: GPL-2.0-only
/* Stores samples. The serialized form is used only between processes of the same program. */
#include "watch/parts.h"

struct series_head {
	uint64_t cpu_count, sample_count, program_count, unreadable, left_out, overruns;
	bool is_exact;
	char problem[SERIES_PROBLEM];
};

struct sample_head {
	uint64_t time_ns;
	uint64_t has_scheduler;
};

int series_add(struct series *s, const struct guest_sample *sample)
{
	size_t bytes = s->cpu_count * sizeof(*sample->cpus);
	struct guest_sample copy = *sample;
	int rc;

	if (s->samples.count == SERIES_MAX_SAMPLES) {
		s->left_out++;
		return 0;
	}
	copy.cpu_count = s->cpu_count;
	copy.cpus = malloc(bytes);
	if (!copy.cpus)
		return err_no_memory();
	memcpy(copy.cpus, sample->cpus, bytes);
	rc = vec_push(&s->samples, copy);
	if (rc < 0)
		free(copy.cpus);
	return rc;
}

/* A counter that decreased counts as not increased. */
int series_set_programs(struct series *s, const struct programs *first, const struct programs *last)
{
	int rc = 0;

	s->programs.count = 0;
	vec_each_while(const struct program_view, p, &last->items, rc == 0) {
		const struct program_view *before = programs_find(first, p->id);
		struct series_program calls = { .calls = p->calls, .ns = p->ns };

		if (!p->has_stats)
			continue;
		memcpy(calls.name, p->name, sizeof(calls.name));
		if (before && before->has_stats) {
			calls.calls -= MIN(before->calls, p->calls);
			calls.ns -= MIN(before->ns, p->ns);
		}
		rc = vec_push(&s->programs, calls);
	}
	return rc;
}

void series_finish(struct series *s)
{
	vec_release(&s->samples, each, free(each->cpus));
	free(s->programs.items);
	*s = (struct series){};
}

int series_encode(const struct series *s, struct str *out)
{
	struct series_head head;

	memset(&head, 0, sizeof(head));
	head.cpu_count = s->cpu_count;
	head.sample_count = s->samples.count;
	head.program_count = s->programs.count;
	head.unreadable = s->unreadable;
	head.left_out = s->left_out;
	head.overruns = s->overruns;
	head.is_exact = s->is_exact;
	memcpy(head.problem, s->problem, sizeof(head.problem));
	str_addn(out, (const char *)&head, sizeof(head));
	vec_each(const struct guest_sample, sample, &s->samples) {
		struct sample_head h = { sample->time_ns, sample->has_scheduler };

		str_addn(out, (const char *)&h, sizeof(h));
		str_addn(out, (const char *)sample->cpus, s->cpu_count * sizeof(*sample->cpus));
	}
	if (s->programs.count)
		str_addn(out, s->programs.items, s->programs.count * sizeof(*s->programs.items));
	return str_check(out);
}

static int decode_samples(struct series *s, const char *data, size_t count)
{
	size_t bytes = s->cpu_count * sizeof(struct cpu_sample);
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++, data += bytes) {
		struct guest_sample sample = { .cpu_count = s->cpu_count };
		struct sample_head h;

		memcpy(&h, data, sizeof(h));
		data += sizeof(h);
		sample.time_ns = h.time_ns;
		sample.has_scheduler = h.has_scheduler;
		sample.cpus = malloc(bytes);
		if (!sample.cpus)
			return err_no_memory();
		memcpy(sample.cpus, data, bytes);
		rc = vec_push(&s->samples, sample);
		if (rc < 0)
			free(sample.cpus);
	}
	return rc;
}

static int decode_programs(struct series *s, const char *data, size_t count)
{
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++) {
		struct series_program p;

		memcpy(&p, data + i * sizeof(p), sizeof(p));
		p.name[PROGRAMS_NAME] = '\0';
		rc = vec_push(&s->programs, p);
	}
	return rc;
}

int series_decode(struct series *s, const char *data, size_t len)
{
	struct series_head head;
	size_t bytes;
	int rc;

	*s = (struct series){};
	if (len < sizeof(head))
		return err_set(EINVAL, "the samples are cut off");
	memcpy(&head, data, sizeof(head));
	if (head.cpu_count == 0 || head.cpu_count > VM_MAX_CPUS ||
	    head.sample_count > SERIES_MAX_SAMPLES || head.program_count > IDR_MAX_OBJECTS)
		return err_set(EINVAL, "the samples are damaged");
	bytes = head.sample_count *
		(sizeof(struct sample_head) + head.cpu_count * sizeof(struct cpu_sample));
	if (len - sizeof(head) != bytes + head.program_count * sizeof(struct series_program))
		return err_set(EINVAL, "the samples are damaged");
	s->cpu_count = head.cpu_count;
	s->unreadable = head.unreadable;
	s->left_out = head.left_out;
	s->overruns = head.overruns;
	s->is_exact = head.is_exact;
	memcpy(s->problem, head.problem, sizeof(s->problem) - 1);
	rc = decode_samples(s, data + sizeof(head), head.sample_count);
	rc = rc ?: decode_programs(s, data + sizeof(head) + bytes, head.program_count);
	if (rc < 0)
		series_finish(s);
	return rc;
}
