// SPDX-License-Identifier: GPL-2.0-only
/* Connects gdb with the guest. */
#include "debug/parts.h"

#include "kernel/btf.h"
#include "repro/repro.h"

#define DIGEST_SHOWN 16
#define ATTACH_SYMBOL "bpf_scx_reg"
#define EXIT_SYMBOL "scx_vexit"
#define LONGEST_NS (30ULL * 24 * 3600 * NSEC_PER_SEC)

struct debugger {
	const struct debug_options *options;
	struct symbols symbols;
	struct btf_file types;
	struct watch_layout layout;
	struct str arguments;
	uint64_t waits_from_ns; /* start of the wait of options.waiter */
	struct travel travel;
	struct view view;
	struct server server;
	struct gdb gdb;
	bool is_started; /* gdb was started */
	bool is_left;	 /* gdb has left */
	int problem;
};

/* ---- kernel data for the plugin ---- */

static int add_member(const struct btf *types, const char *name, const char *path, struct str *out)
{
	uint64_t offset;

	if (btf_offset(types, path, &offset) < 0)
		return err_set(ENOENT, "the kernel's types have no %s: it cannot be debugged",
			       path);
	str_addf(out, ",%s=%llx", name, ULL(offset));
	return 0;
}

/* For CPU number and clock. */
static int add_arguments(struct debugger *d, const struct btf *types)
{
	static const char *const names[] = { "runqueues", "cpu_number" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		uint64_t address = symbols_find(&d->symbols, names[i]);

		if (!address)
			return err_set(ENOENT, "the kernel has no symbol %s: it cannot be debugged",
				       names[i]);
		str_addf(&d->arguments, ",%s=%llx", names[i], ULL(address));
	}
	return add_member(types, "rq_clock", "rq.clock", &d->arguments);
}

static int prepare(struct debugger *d, const struct vm_session *session, const char *vmlinux)
{
	int rc = btf_file_open(&d->types, vmlinux) ?: symbols_get(session, &d->symbols);

	rc = rc ?: layout_fill(&d->layout, &d->symbols, &d->types.types);
	rc = rc ?: add_arguments(d, &d->types.types);
	return rc < 0 ? rc : str_check(&d->arguments);
}

/* ---- initial position ---- */

static int add_place(const struct debugger *d, const char *symbol, struct debug_order *order)
{
	uint64_t address = symbols_find(&d->symbols, symbol);

	if (!address)
		return -ENOENT;
	order->places[order->place_count++] = address;
	return 0;
}

static int refuse_symbol(const char *symbol)
{
	return err_set(ENOENT, "neither the guest's kernel nor its scheduler has one function %s",
		       symbol);
}

static bool is_wait(const struct debug_options *o)
{
	return o->at == DEBUG_AT_FAILURE && o->waiter;
}

/* Runs once before, to find when the wait began. */
static int find_wait(struct debugger *d, const struct vm_session *session, const char *vmlinux)
{
	const struct debug_options *o = d->options;
	int rc;

	if (!is_wait(o))
		return 0;
	rc = repro_find_wait(session, vmlinux, o->waiter, &d->waits_from_ns);
	if (rc == 0)
		log_note("ktstr: the failure is a wait of task %u from %.6fs on", o->waiter,
			 (double)d->waits_from_ns / NSEC_PER_SEC);
	return rc;
}

static int first_order(struct debugger *d, struct debug_order *order)
{
	const struct debug_options *o = d->options;

	*order = travel_order();
	if (o->at == DEBUG_AT_TIME || is_wait(o)) {
		/* The clock was last read at that time, before the task lost its CPU. */
		order->time_ns = is_wait(o) ? d->waits_from_ns + 1 : o->time_ns;
		return 0;
	}
	if (o->at == DEBUG_AT_FAILURE)
		return add_place(d, EXIT_SYMBOL, order) < 0 ? refuse_symbol(EXIT_SYMBOL) : 0;
	if (o->at == DEBUG_AT_SYMBOL && add_place(d, o->symbol, order) == 0)
		return 0;
	/* Functions of the scheduler exist only after it is attached. */
	if (o->has_scheduler && add_place(d, ATTACH_SYMBOL, order) == 0)
		return 0;
	if (o->at == DEBUG_AT_SYMBOL)
		return refuse_symbol(o->symbol);
	order->until = DEBUG_BEGINNING;
	return 0;
}

static int refuse_end(const struct debug_options *o)
{
	switch (o->at) {
	case DEBUG_AT_FAILURE:
		return err_set(ENOENT, "the kernel did not eject the scheduler in this run, "
				       "and no task waited too long; --at TIME or --break SYMBOL "
				       "says where to stop");
	case DEBUG_AT_TIME:
		return err_set(ENOENT, "the run ended before %.6fs of the guest's clock",
			       (double)o->time_ns / NSEC_PER_SEC);
	case DEBUG_AT_SYMBOL:
		return err_set(ENOENT, "%s was never called in this run", o->symbol);
	default:
		return err_set(ENOENT, "no scheduler was attached in this run");
	}
}

/* ---- gdb ---- */

static int start_gdb(struct debugger *d, const struct prog_lines *programs)
{
	_str_ struct str file = {}, commands = {};
	_dwarf_out_ struct dwarf_out dwarf = {};
	int rc = dwarf_out_add_types(&dwarf, &d->types.types);
	rc = rc ?: dwarf_out_add_programs(&dwarf, programs);
	rc = rc ?: symbol_file_make(&d->symbols, programs, &dwarf, &file);

	monitor_add_script(&commands);
	rc = rc ?: gdb_start(&d->gdb, &d->options->gdb, &file, &commands);
	d->is_started = rc == 0;
	d->travel.driver.fd = d->gdb.fd;
	return rc;
}

static uint64_t find_program(const struct prog_lines *programs, const char *name)
{
	const struct prog_function *f = vec_find(&programs->functions, name, name);

	return f ? f->start : 0;
}

/* 1 = continues to a BPF program first. */
static int begin(struct debugger *d)
{
	const struct debug_options *o = d->options;
	_prog_lines_ struct prog_lines programs = {};
	struct debug_order order = travel_order();
	int rc = 0;

	if (d->travel.has_space)
		rc = prog_lines_of_schedulers(&programs, &d->travel.space);
	if (rc < 0)
		return rc;
	if (o->at != DEBUG_AT_SYMBOL ||
	    d->travel.stop.event.address != symbols_find(&d->symbols, ATTACH_SYMBOL) ||
	    str_eq(o->symbol, ATTACH_SYMBOL))
		return start_gdb(d, &programs);
	order.places[0] = find_program(&programs, o->symbol);
	order.place_count = 1;
	if (!order.places[0])
		return refuse_symbol(o->symbol);
	travel_forward(&d->travel, &order);
	return 1;
}

static int go_on(struct debugger *d, enum server_next next)
{
	struct server *s = &d->server;
	struct debug_order order = travel_order();
	uint64_t base = view_cpu_base(&d->view, s->step_cpu);

	order.place_count = s->place_count;
	order.watch_count = s->watch_count;
	memcpy(order.places, s->places, sizeof(order.places));
	memcpy(order.watches, s->watches, sizeof(order.watches));
	if (next == SERVER_STEP)
		order.step_cpu = base ? base : d->travel.stop.cpu_base;
	if (next == SERVER_STEP_BACK)
		travel_step_back(&d->travel, base ? base : d->travel.stop.cpu_base);
	else if (next == SERVER_BACK)
		travel_back(&d->travel, &order);
	else
		travel_forward(&d->travel, &order);
	return 0;
}

static int serve(struct debugger *d)
{
	_str_ struct str packet = {}, reply = {};

	while (gdb_next(&d->gdb, &packet)) {
		enum server_next next;

		str_reset(&reply);
		next = server_answer(&d->server, str_get(&packet), packet.len, &reply);
		if (d->server.note)
			log_note("ktstr: %s", d->server.note);
		d->server.note = NULL;
		if (next == SERVER_STAY || next == SERVER_LEAVE)
			gdb_send(&d->gdb, &reply);
		d->gdb.no_ack = d->server.no_ack;
		if (next == SERVER_LEAVE)
			break;
		if (next != SERVER_STAY)
			return go_on(d, next);
	}
	d->is_left = true;
	return -EINTR;
}

static int stands(void *ctx, struct travel *t)
{
	struct debugger *d = ctx;
	_str_ struct str reply = {};
	int rc = 0;

	view_reset(&d->view);
	server_set_stop(&d->server, &t->stop, t->is_beginning);
	if (!d->is_started) {
		rc = begin(d);
		d->problem = rc < 0 ? rc : 0;
		return rc ? MIN(rc, 0) : serve(d);
	}
	server_add_stop(&d->server, &reply);
	gdb_send(&d->gdb, &reply);
	return serve(d);
}

static int hear(void *ctx, struct travel *t)
{
	struct debugger *d = ctx;
	_str_ struct str data = {};
	bool is_gone;

	if (gdb_poll(&d->gdb, &data, &is_gone) == PACKET_INTERRUPT)
		travel_interrupt(t);
	d->is_left = is_gone;
	return is_gone ? -EINTR : 0;
}

/* ---- the end ---- */

/* The run is over: gdb may still send requests. */
static void tell_end(struct debugger *d, const struct vm_result *result, bool is_same)
{
	_str_ struct str text = {}, reply = {}, packet = {};

	str_addf(&text, "The run %shas ended with digest %.*s%s.\n",
		 d->server.is_written ? "was written to, and " : "", DIGEST_SHOWN, result->digest,
		 d->server.is_written ? "" :
		 is_same	      ? ", that of the record" :
					", not that of the record");
	gdb_print(&d->gdb, str_get(&text));
	str_add(&reply, "W00");
	gdb_send(&d->gdb, &reply);
	while (gdb_next(&d->gdb, &packet)) {
		str_reset(&reply);
		gdb_send(&d->gdb, &reply);
	}
}

static int run(struct debugger *d, struct vm_result *result, struct debug_end *end)
{
	struct debug_order order;
	int rc = first_order(d, &order) ?: travel_run(&d->travel, &order, result);

	if (d->problem)
		return d->problem;
	if (rc < 0)
		return d->is_left ? -EINTR : rc;
	if (!d->is_started) {
		vm_result_finish(result);
		return refuse_end(d->options);
	}
	end->is_ended = true;
	end->is_written = d->server.is_written;
	end->is_same = str_eq(result->digest, d->options->digest);
	tell_end(d, result, end->is_same);
	return 0;
}

static void debugger_finish(struct debugger *d)
{
	gdb_finish(&d->gdb);
	view_reset(&d->view);
	travel_finish(&d->travel);
	str_finish(&d->arguments);
	symbols_finish(&d->symbols);
	btf_file_close(&d->types);
	known_types_finish(&d->view.known);
}

int debug_run(const struct debug_options *o, const struct vm_session *session, const char *vmlinux,
	      struct vm_result *result, struct debug_end *end)
{
	_cleanup_(debugger_finish) struct debugger d = { .options = o,
							 .gdb = { .fd = -1, .listen_fd = -1 } };
	struct travel_driver driver = { .fd = -1, .stands = stands, .hear = hear, .ctx = &d };
	struct vm_session own = *session;
	int rc;

	if (session->spec.arch != VM_ARCH_X86_64)
		return err_set(ENOTSUP, "only x86-64 guests can be debugged");
	rc = prepare(&d, session, vmlinux) ?: find_wait(&d, session, vmlinux);
	if (rc < 0)
		return rc;
	own.on_frame = NULL;
	own.limit_ns = LONGEST_NS; /* the user needs time */
	travel_init(&d.travel, &own, &d.layout, str_get(&d.arguments), &driver);
	view_init(&d.view, &d.travel, &d.symbols);
	d.view.vmlinux = vmlinux;
	d.view.scheduler = o->scheduler;
	d.server.guest = &d.view.guest;
	d.server.may_write = o->may_write;
	return run(&d, result, end);
}
