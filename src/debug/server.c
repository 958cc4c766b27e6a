// SPDX-License-Identifier: GPL-2.0-only
/* Packets by their first letters. An empty answer means "not supported". */
#include "debug/parts.h"

#define READ_ONLY "E.a run of ktstr debug cannot be changed: it would not be the same run any more"
#define NO_WAY_BACK "E.a run that was written to cannot be gone through backwards"
#define NOT_READABLE "E0e"
#define MALFORMED "E16"
#define FULL "E.there are as many breakpoints or watchpoints as ktstr debug can have"

#define SIGNAL_TRAP 5
#define SIGNAL_INTERRUPT 2

/* gdb's layout: 8 bytes up to rip, then 4. */
#define WIDE_REGISTERS 17
#define CORE_REGISTERS 24
#define MAX_READ (PACKET_MAX / 2 - 8)

void server_set_stop(struct server *s, const struct debug_stop *stop, bool is_beginning)
{
	s->stop = stop;
	s->is_beginning = is_beginning;
	s->asked_cpu = (unsigned int)stop->cpu;
	if (s->asked_cpu >= s->guest->cpu_count)
		s->asked_cpu = 0;
}

/* ---- current position ---- */

static void add_reason(const struct server *s, struct str *reply)
{
	static const char *const words[] = { "", "rwatch", "watch", "awatch" };
	const struct debug_event *e = &s->stop->event;

	if (s->is_beginning)
		str_add(reply, "replaylog:begin;");
	else if (e->reason == DEBUG_PLACE)
		str_add(reply, "swbreak:;");
	else if (e->reason == DEBUG_WATCH)
		str_addf(reply, "%s:%llx;", words[e->access & 3], ULL(e->address));
}

void server_add_stop(const struct server *s, struct str *reply)
{
	bool is_asked = s->stop->event.reason == DEBUG_INTERRUPTED;

	str_addf(reply, "T%02xthread:%x;", is_asked ? SIGNAL_INTERRUPT : SIGNAL_TRAP,
		 s->asked_cpu + 1);
	add_reason(s, reply);
}

static enum server_next tell_stop(struct server *s, const char *at _unused_, struct str *reply)
{
	server_add_stop(s, reply);
	return SERVER_STAY;
}

/* ---- registers and memory ---- */

static void add_register(const uint64_t *values, uint64_t number, struct str *reply)
{
	packet_add_hex(reply, &values[number], number < WIDE_REGISTERS ? 8 : 4);
}

static enum server_next read_registers(struct server *s, const char *at _unused_, struct str *reply)
{
	uint64_t values[DEBUG_REGISTER_COUNT];

	if (!s->guest->registers(s->guest->ctx, s->asked_cpu, values)) {
		str_add(reply, NOT_READABLE);
		return SERVER_STAY;
	}
	for (uint64_t i = 0; i < CORE_REGISTERS; i++)
		add_register(values, i, reply);
	return SERVER_STAY;
}

/* Floating-point and vector registers are not available. */
static enum server_next read_register(struct server *s, const char *at, struct str *reply)
{
	uint64_t values[DEBUG_REGISTER_COUNT], number;

	if (!packet_take_hex(&at, &number) || *at)
		str_add(reply, MALFORMED);
	else if (number >= CORE_REGISTERS)
		str_add(reply, "xxxxxxxx");
	else if (!s->guest->registers(s->guest->ctx, s->asked_cpu, values))
		str_add(reply, NOT_READABLE);
	else
		add_register(values, number, reply);
	return SERVER_STAY;
}

static enum server_next read_memory(struct server *s, const char *at, struct str *reply)
{
	uint64_t address, len;
	char bytes[MAX_READ];
	size_t got;

	if (!packet_take_hex(&at, &address) || !packet_take(&at, ',') ||
	    !packet_take_hex(&at, &len) || *at) {
		str_add(reply, MALFORMED);
		return SERVER_STAY;
	}
	got = s->guest->memory(s->guest->ctx, s->asked_cpu, address, bytes,
			       MIN(len, sizeof(bytes)));
	if (got || !len)
		packet_add_hex(reply, bytes, got);
	else
		str_add(reply, NOT_READABLE);
	return SERVER_STAY;
}

static enum server_next write_memory(struct server *s, const char *at, struct str *reply)
{
	uint64_t address, len;
	_str_ struct str bytes = {};

	if (!packet_take_hex(&at, &address) || !packet_take(&at, ',') ||
	    !packet_take_hex(&at, &len) || !packet_take(&at, ':') || !packet_from_hex(at, &bytes) ||
	    bytes.len != len) {
		str_add(reply, MALFORMED);
	} else if (!s->may_write) {
		str_add(reply, READ_ONLY);
		s->note = "nothing was written: it would not be the run of the record any more; "
			  "--write allows it";
	} else if (!s->guest->write(s->guest->ctx, s->asked_cpu, address, str_get(&bytes), len)) {
		str_add(reply, NOT_READABLE);
	} else {
		if (!s->is_written)
			s->note =
				"written: from here on this is not the run of the record any more";
		s->is_written = true;
		str_add(reply, "OK");
	}
	return SERVER_STAY;
}

/* ---- threads ---- */

/* "1"; "0" and "-1" mean the current one. */
static bool take_cpu(const struct server *s, const char **at, unsigned int *cpu)
{
	uint64_t number;

	*cpu = (unsigned int)s->stop->cpu;
	if (packet_take(at, '-'))
		return packet_take(at, '1');
	if (!packet_take_hex(at, &number) || number > s->guest->cpu_count)
		return false;
	if (number)
		*cpu = (unsigned int)number - 1;
	return *cpu < s->guest->cpu_count;
}

static enum server_next choose_thread(struct server *s, const char *at, struct str *reply)
{
	bool is_general = *at == 'g';
	unsigned int cpu;

	if ((!is_general && *at != 'c') || (at++, !take_cpu(s, &at, &cpu)) || *at) {
		str_add(reply, MALFORMED);
		return SERVER_STAY;
	}
	if (is_general)
		s->asked_cpu = cpu;
	str_add(reply, "OK");
	return SERVER_STAY;
}

static enum server_next is_alive(struct server *s, const char *at, struct str *reply)
{
	unsigned int cpu;

	str_add(reply, take_cpu(s, &at, &cpu) && !*at ? "OK" : MALFORMED);
	return SERVER_STAY;
}

static enum server_next tell_thread(struct server *s, const char *at _unused_, struct str *reply)
{
	str_addf(reply, "QC%x", s->asked_cpu + 1);
	return SERVER_STAY;
}

static enum server_next list_threads(struct server *s, const char *at _unused_, struct str *reply)
{
	for (size_t i = 0; i < s->guest->cpu_count; i++)
		str_addf(reply, "%s%zx", i ? "," : "m", i + 1);
	return SERVER_STAY;
}

static enum server_next name_thread(struct server *s, const char *at, struct str *reply)
{
	_str_ struct str name = {};
	unsigned int cpu;

	if (!take_cpu(s, &at, &cpu) || *at) {
		str_add(reply, MALFORMED);
		return SERVER_STAY;
	}
	s->guest->cpu_name(s->guest->ctx, cpu, &name);
	packet_add_hex(reply, str_get(&name), name.len);
	return SERVER_STAY;
}

/* ---- breakpoints and watchpoints ---- */

/* By packet type; 0 = execution. */
static const uint64_t accesses[] = { 0, 0, DEBUG_WATCH_WRITE, DEBUG_WATCH_READ,
				     DEBUG_WATCH_READ | DEBUG_WATCH_WRITE };

struct point {
	uint64_t access, address, bytes;
};

/* "0,ffffffff81000000,1", possibly with conditions, which we did not announce. */
static bool take_point(const char *at, struct point *p)
{
	uint64_t kind;

	if (!packet_take_hex(&at, &kind) || kind >= ARRAY_SIZE(accesses) ||
	    !packet_take(&at, ',') || !packet_take_hex(&at, &p->address) ||
	    !packet_take(&at, ',') || !packet_take_hex(&at, &p->bytes))
		return false;
	p->access = accesses[kind];
	return !*at || *at == ';';
}

static bool add_place(struct server *s, uint64_t address)
{
	for (uint32_t i = 0; i < s->place_count; i++)
		if (s->places[i] == address)
			return true;
	if (s->place_count == DEBUG_MAX_PLACES)
		return false;
	s->places[s->place_count++] = address;
	return true;
}

static bool is_same_watch(const struct debug_watch *w, const struct point *p)
{
	return w->address == p->address && w->bytes == p->bytes && w->access == p->access;
}

static bool add_watch(struct server *s, const struct point *p)
{
	for (uint32_t i = 0; i < s->watch_count; i++)
		if (is_same_watch(&s->watches[i], p))
			return true;
	if (s->watch_count == DEBUG_MAX_WATCHES)
		return false;
	s->watches[s->watch_count++] = (struct debug_watch){ p->address, p->bytes, p->access };
	return true;
}

static enum server_next insert_point(struct server *s, const char *at, struct str *reply)
{
	struct point p;

	if (!take_point(at, &p))
		str_add(reply, MALFORMED);
	else if (p.access ? add_watch(s, &p) : add_place(s, p.address))
		str_add(reply, "OK");
	else
		str_add(reply, FULL);
	return SERVER_STAY;
}

static enum server_next remove_point(struct server *s, const char *at, struct str *reply)
{
	struct point p;

	if (!take_point(at, &p)) {
		str_add(reply, MALFORMED);
		return SERVER_STAY;
	}
	for (uint32_t i = 0; !p.access && i < s->place_count; i++)
		if (s->places[i] == p.address)
			s->places[i--] = s->places[--s->place_count];
	for (uint32_t i = 0; p.access && i < s->watch_count; i++)
		if (is_same_watch(&s->watches[i], &p))
			s->watches[i--] = s->watches[--s->watch_count];
	str_add(reply, "OK");
	return SERVER_STAY;
}

/* ---- continuing ---- */

static enum server_next step(struct server *s, const char *at _unused_, struct str *reply _unused_)
{
	s->step_cpu = s->asked_cpu;
	return SERVER_STEP;
}

/* No way back after writes: the repeated run would not have them. */
static bool refuse_way_back(const struct server *s, struct str *reply)
{
	if (s->is_written)
		str_add(reply, NO_WAY_BACK);
	return s->is_written;
}

static enum server_next go_back(struct server *s, const char *at _unused_, struct str *reply)
{
	return refuse_way_back(s, reply) ? SERVER_STAY : SERVER_BACK;
}

static enum server_next step_back(struct server *s, const char *at _unused_, struct str *reply)
{
	if (refuse_way_back(s, reply))
		return SERVER_STAY;
	s->step_cpu = s->asked_cpu;
	return SERVER_STEP_BACK;
}

/* ";s:1;c": one CPU may step; all others continue in any case. */
static enum server_next go_on_by_thread(struct server *s, const char *at, struct str *reply)
{
	enum server_next next = SERVER_STAY;
	uint64_t signal;

	while (packet_take(&at, ';')) {
		char action = *at;
		unsigned int cpu = (unsigned int)s->stop->cpu;

		at += action != '\0';
		if ((action == 'C' || action == 'S') && !packet_take_hex(&at, &signal))
			break;
		if (packet_take(&at, ':') && !take_cpu(s, &at, &cpu))
			break;
		if ((action == 's' || action == 'S') && next != SERVER_STEP) {
			next = SERVER_STEP;
			s->step_cpu = cpu;
		} else if ((action == 'c' || action == 'C') && next == SERVER_STAY) {
			next = SERVER_CONTINUE;
		}
	}
	if (*at || next == SERVER_STAY) {
		str_add(reply, MALFORMED);
		return SERVER_STAY;
	}
	return next;
}

/* ---- the session ---- */

static enum server_next offer(struct server *s _unused_, const char *at _unused_, struct str *reply)
{
	str_addf(reply,
		 "PacketSize=%x;QStartNoAckMode+;vContSupported+;swbreak+;hwbreak+;"
		 "ReverseStep+;ReverseContinue+",
		 PACKET_MAX);
	return SERVER_STAY;
}

static enum server_next trust_transport(struct server *s, const char *at _unused_,
					struct str *reply)
{
	s->no_ack = true;
	str_add(reply, "OK");
	return SERVER_STAY;
}

static enum server_next monitor(struct server *s, const char *at, struct str *reply)
{
	_str_ struct str command = {}, answer = {};

	if (!packet_from_hex(at, &command)) {
		str_add(reply, MALFORMED);
		return SERVER_STAY;
	}
	s->guest->monitor(s->guest->ctx, str_get(&command), &answer);
	if (answer.len)
		packet_add_hex(reply, answer.s, answer.len);
	else
		str_add(reply, "OK");
	return SERVER_STAY;
}

/*
 * The first row whose prefix matches; is_whole: the whole packet must match. Most answers come from
 * a function; others are constant.
 */
static const struct {
	const char *begin;
	bool is_whole;
	enum server_next (*answer)(struct server *s, const char *at, struct str *reply);
	const char *words;
	enum server_next next;
} rows[] = {
	{ "?", true, tell_stop },
	{ "g", true, read_registers },
	{ "p", false, read_register },
	{ "m", false, read_memory },
	{ "G", false, .words = READ_ONLY },
	{ "P", false, .words = READ_ONLY },
	{ "M", false, write_memory },
	{ "H", false, choose_thread },
	{ "T", false, is_alive },
	{ "Z", false, insert_point },
	{ "z", false, remove_point },
	{ "c", true, .next = SERVER_CONTINUE },
	{ "C", false, .next = SERVER_CONTINUE },
	{ "s", true, step },
	{ "S", false, step },
	{ "bc", true, go_back },
	{ "bs", true, step_back },
	{ "vCont?", true, .words = "vCont;c;C;s;S" },
	{ "vCont", false, go_on_by_thread },
	{ "vKill;", false, .words = "OK", .next = SERVER_LEAVE },
	{ "D", false, .words = "OK", .next = SERVER_LEAVE },
	{ "k", false, .next = SERVER_LEAVE },
	{ "qSupported", false, offer },
	{ "QStartNoAckMode", true, trust_transport },
	{ "qAttached", false, .words = "1" }, /* existed before gdb: quitting detaches */
	{ "qC", true, tell_thread },
	{ "qfThreadInfo", true, list_threads },
	{ "qsThreadInfo", true, .words = "l" },
	{ "qThreadExtraInfo,", false, name_thread },
	{ "qRcmd,", false, monitor },
};

enum server_next server_answer(struct server *s, const char *data, size_t len, struct str *reply)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t begin = strlen(rows[i].begin);

		if (len < begin || memcmp(data, rows[i].begin, begin) != 0 ||
		    (rows[i].is_whole && len != begin))
			continue;
		if (rows[i].answer)
			return rows[i].answer(s, data + begin, reply);
		str_add(reply, rows[i].words ? rows[i].words : "");
		return rows[i].next;
	}
	return SERVER_STAY;
}
