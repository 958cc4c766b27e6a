// SPDX-License-Identifier: GPL-2.0-only
/* Converts executed blocks to lines. */
#include "watch/parts.h"

#include "watch/mark.h"

#include <sys/mman.h>

int bpf_blocks_open(struct bpf_blocks *b)
{
	*b = (struct bpf_blocks){ .fd = memfd_create("ktstr-blocks", MFD_CLOEXEC) };
	return b->fd >= 0 && ftruncate(b->fd, sizeof(struct trace_blocks)) == 0 ?
		       0 :
		       err_sys(errno, "create memory for executed blocks");
}

int bpf_blocks_set_kernel(struct bpf_blocks *b, const struct symbols *symbols)
{
	struct trace_blocks *shared = NULL;
	int rc = kernel_functions_find(&b->kernel, symbols);

	if (rc == 0)
		shared = mmap(NULL, sizeof(*shared), PROT_WRITE, MAP_SHARED, b->fd, 0);
	if (shared == MAP_FAILED)
		return err_sys(errno, "name functions to count");
	for (size_t i = 0; rc == 0 && i < MIN(b->kernel.items.count, (size_t)TRACE_MAX_RANGES); i++)
		shared->ranges[shared->range_count++] =
			(struct trace_range){ b->kernel.items.items[i].start,
					      b->kernel.items.items[i].end };
	if (shared)
		munmap(shared, sizeof(*shared));
	return rc;
}

void bpf_blocks_reset(struct bpf_blocks *b)
{
	prog_lines_finish(&b->lines);
	b->lives.count = 0;
	b->stops = 0;
	b->rc = 0;
}

void bpf_blocks_close(struct bpf_blocks *b)
{
	bpf_blocks_reset(b);
	free(b->lives.items);
	kernel_functions_finish(&b->kernel);
	cleanup_fd(&b->fd);
	*b = (struct bpf_blocks){ .fd = -1 };
}

static int add_life(struct bpf_blocks *b, struct bpf_life life)
{
	life.count = b->lines.functions.count - life.first;
	if (!life.count)
		return 0;
	life.id = b->lines.functions.items[life.first].id;
	return vec_push(&b->lives, life);
}

void bpf_blocks_begin(struct bpf_blocks *b, struct space *space)
{
	_idr_objects_ struct idr_objects objects = {};

	b->rc = idr_read(&objects, space, SYM_PROG_IDR);
	for (size_t i = 0; i < objects.items.count && b->rc == 0; i++) {
		struct bpf_life life = { .first = b->lines.functions.count, .to = UINT32_MAX };

		b->rc = prog_lines_add(&b->lines, space, objects.items.items[i]);
		b->rc = b->rc ?: add_life(b, life);
	}
}

/* A program that is already known is being freed; its ID is not reused. */
void bpf_blocks_stop(struct bpf_blocks *b, struct space *space, uint64_t program)
{
	struct bpf_life life = { .first = b->lines.functions.count,
				 .from = ++b->stops,
				 .to = UINT32_MAX };
	size_t lines = b->lines.lines.count;

	if (!space || b->rc < 0)
		return;
	b->rc = prog_lines_add(&b->lines, space, program);
	if (b->rc < 0 || b->lines.functions.count == life.first)
		return;
	for (size_t i = 0; i < b->lives.count; i++)
		if (b->lives.items[i].id == b->lines.functions.items[life.first].id) {
			b->lives.items[i].to = b->stops;
			b->lines.functions.count = life.first;
			b->lines.lines.count = lines;
			return;
		}
	b->rc = add_life(b, life);
}

static int count_anew(const struct bpf_blocks *b)
{
	struct trace_blocks *shared =
		mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, b->fd, 0);

	if (shared == MAP_FAILED)
		return err_sys(errno, "count executed blocks anew");
	array_each(struct trace_block, block, shared->blocks,
		   MIN(shared->count, TRACE_MAX_BLOCKS)) {
		block->count = 0;
		block->is_taken = block->is_passed = false;
	}
	memset(shared->pairs, 0, sizeof(shared->pairs));
	munmap(shared, sizeof(*shared));
	return 0;
}

bool bpf_blocks_mark(struct bpf_blocks *b, uint64_t tag)
{
	uint32_t part = (uint32_t)tag;

	if (MARK(part) != tag)
		return false;
	if (b->keep_part && b->rc == 0)
		b->rc = b->keep_part(b->keep_ctx, b, part) ?: count_anew(b);
	return true;
}

/* ---- one function ---- */

struct hits {
	VEC(const struct trace_block *) items;
};

/*
 * Executions of the code in [start, end). A block that contains the start of the line executes all
 * of it; one that starts inside executes a part.
 */
static uint64_t count_line(const struct hits *h, uint64_t start, uint64_t end)
{
	uint64_t whole = 0, part = 0;

	vec_each_ptr(const struct trace_block, b, &h->items) {
		if (b->address <= start && b->address + b->bytes > start)
			whole += b->count;
		else if (b->address > start && b->address < end)
			part = MAX(part, b->count);
	}
	return MAX(whole, part);
}

/* Several code ranges of the same line count once: with the maximum of their counts. */
static int raise_line(struct bpf_cover *c, struct cover_function *f, const struct prog_line *from,
		      uint64_t count)
{
	size_t file = bpf_cover_file(c, from->file);
	struct cover_line line = { .file = (uint32_t)file, .line = from->line, .text = from->text };
	int rc = file == SIZE_MAX ? -ENOMEM : bpf_cover_line(c, f, &line);

	for (size_t i = 0; i < f->lines.count && rc == 0; i++)
		if (f->lines.items[i].file == line.file && f->lines.items[i].line == line.line)
			f->lines.items[i].count = MAX(f->lines.items[i].count, count);
	return rc;
}

static int add_lines(const struct bpf_blocks *b, const struct prog_function *f,
		     const struct hits *h, struct bpf_cover *c, struct cover_function *to)
{
	const struct prog_line *lines = f->count ? &b->lines.lines.items[f->first] : NULL;
	int rc = 0;

	for (size_t i = 0; i < f->count && rc == 0; i++) {
		uint64_t end = i + 1 < f->count ? lines[i + 1].address : f->end;

		/* Skips lines without code: removed by the verifier, or compiled to nothing. */
		if (lines[i].line && end > lines[i].address)
			rc = raise_line(c, to, &lines[i], count_line(h, lines[i].address, end));
	}
	return rc;
}

static int add_branches(const struct bpf_blocks *b, const struct prog_function *f,
			const struct hits *h, struct bpf_cover *c, struct cover_function *to)
{
	int rc = 0;

	vec_each_ptr_while(const struct trace_block, block, &h->items, rc == 0) {
		uint64_t jump = block->address + block->jump;
		const struct prog_line *l = block->target ? prog_lines_at(&b->lines, f, jump) :
							    NULL;
		size_t file = l && l->line ? bpf_cover_file(c, l->file) : SIZE_MAX;

		if (!l || !l->line)
			continue;
		rc = file == SIZE_MAX ?
			     -ENOMEM :
			     bpf_cover_branch(to, &(struct cover_branch){
							  .file = (uint32_t)file,
							  .line = l->line,
							  .column = l->column,
							  .at = (uint32_t)(jump - l->address),
							  .is_taken = block->is_taken,
							  .is_passed = block->is_passed });
	}
	return rc;
}

/* ---- all functions ---- */

/* Programs that guest init builds without a compiler: they have no line info. */
static bool is_of_init(const struct prog_function *f)
{
	static const char *const names[] = { "order_call", "sched_switch", "sched_waking",
					     "wake_delay" };

	return !f->count && str_index(names, ARRAY_SIZE(names), f->program) >= 0;
}

/* ktstr's own programs are not under test. */
static bool is_ours(const struct bpf_blocks *b, const struct prog_function *f)
{
	const char *file = f->count ? b->lines.lines.items[f->first].file : "";

	return is_of_init(f) ||
	       (str_starts(f->program, "observe_") && str_ends(file, "bpf/observe.bpf.c"));
}

static int find_hits(const struct bpf_life *life, const struct prog_function *f,
		     const struct trace_block *blocks, size_t count, struct hits *h)
{
	int rc = 0;

	h->items.count = 0;
	for (size_t i = 0; i < count && rc == 0; i++)
		if (blocks[i].count && blocks[i].address >= f->start &&
		    blocks[i].address < f->end && blocks[i].programs >= life->from &&
		    blocks[i].programs < life->to)
			rc = vec_push(&h->items, &blocks[i]);
	return rc;
}

/* Collects the lines separately first: within a function counts are maxima, across runs sums. */
static int add_function(const struct bpf_blocks *b, const struct prog_function *f,
			const struct hits *h, struct bpf_cover *out)
{
	struct cover_function *to = bpf_cover_function(out, f->program, f->name), once = {};
	int rc = to ? add_lines(b, f, h, out, &once) : -ENOMEM;

	for (size_t i = 0; i < once.lines.count && rc == 0; i++)
		rc = bpf_cover_line(out, to, &once.lines.items[i]);
	rc = rc ?: add_branches(b, f, h, out, to);
	free(once.lines.items);
	return rc;
}

static int add_kernel(const struct bpf_blocks *b, const struct trace_block *blocks, size_t count,
		      struct bpf_cover *out)
{
	int rc = 0;

	vec_each_while(const struct kernel_function, f, &b->kernel.items, rc == 0) {
		struct cover_kernel *k =
			bpf_cover_kernel(out, f->name, (uint32_t)(f->end - f->start));

		rc = k ? 0 : -ENOMEM;
		for (size_t n = 0; n < count && rc == 0; n++)
			if (blocks[n].count && blocks[n].address - f->start < f->end - f->start)
				rc = bpf_cover_block(
					k, &(struct cover_block){
						   .at = (uint32_t)(blocks[n].address - f->start),
						   .bytes = blocks[n].bytes,
						   .count = blocks[n].count });
	}
	return rc;
}

/* Function (index in out) and line at the start of a block; false = it is not under test. */
static bool find_place(const struct bpf_blocks *b, const struct trace_block *block,
		       struct bpf_cover *out, uint32_t *function, uint32_t *line)
{
	vec_each(const struct bpf_life, life, &b->lives) {
		if (block->programs < life->from || block->programs >= life->to ||
		    is_ours(b, &b->lines.functions.items[life->first]))
			continue;
		for (size_t i = life->first; i < life->first + life->count; i++) {
			const struct prog_function *f = &b->lines.functions.items[i];
			const struct prog_line *l;
			struct cover_function *to;

			if (block->address < f->start || block->address >= f->end)
				continue;
			l = prog_lines_at(&b->lines, f, block->address);
			to = l ? bpf_cover_function(out, f->program, f->name) : NULL;
			if (!to)
				return false;
			*function = (uint32_t)(to - out->functions.items);
			*line = l->line;
			return true;
		}
	}
	return false;
}

static int add_pairs(const struct bpf_blocks *b, const struct trace_blocks *shared,
		     struct bpf_cover *out)
{
	size_t count = MIN(shared->count, TRACE_MAX_BLOCKS);
	int rc = 0;

	array_each(const struct trace_pair, p, shared->pairs, TRACE_MAX_PAIRS) {
		struct cover_pair pair = {};

		if (!p->first || p->first > count || !p->second || p->second > count || rc < 0)
			continue;
		if (find_place(b, &shared->blocks[p->first - 1], out, &pair.first_function,
			       &pair.first_line) &&
		    find_place(b, &shared->blocks[p->second - 1], out, &pair.second_function,
			       &pair.second_line))
			rc = bpf_cover_pair(out, &pair);
	}
	return rc;
}

int bpf_blocks_add(const struct bpf_blocks *b, const struct trace_block *blocks, size_t count,
		   struct bpf_cover *out)
{
	struct hits h = {};
	int rc = b->rc;

	vec_each(const struct bpf_life, life, &b->lives) {
		for (size_t k = 0; k < life->count && rc == 0; k++) {
			const struct prog_function *f = &b->lines.functions.items[life->first + k];

			if (is_ours(b, &b->lines.functions.items[life->first]))
				continue;
			rc = find_hits(life, f, blocks, count, &h);
			/*
			 * Skip unused programs without lines: libbpf loads such programs to detect
			 * kernel features.
			 */
			if (rc == 0 && (f->count || h.items.count))
				rc = add_function(b, f, &h, out);
		}
	}
	free(h.items.items);
	rc = rc ?: add_kernel(b, blocks, count, out);
	out->is_cut |= b->lines.is_cut;
	out->runs++;
	return rc;
}

int bpf_blocks_collect(const struct bpf_blocks *b, struct bpf_cover *out)
{
	struct trace_blocks *shared = mmap(NULL, sizeof(*shared), PROT_READ, MAP_SHARED, b->fd, 0);
	int rc;

	if (shared == MAP_FAILED)
		return err_sys(errno, "read executed blocks");
	rc = bpf_blocks_add(b, shared->blocks, MIN(shared->count, TRACE_MAX_BLOCKS), out) ?:
		     add_pairs(b, shared, out);
	out->is_cut |= shared->is_full;
	munmap(shared, sizeof(*shared));
	return rc;
}
