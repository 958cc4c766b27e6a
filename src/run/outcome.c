// SPDX-License-Identifier: GPL-2.0-only
/* Stores outcomes in files and reads them back. */
#include "run/parts.h"

#define MAGIC 0x6b747374724f5554ULL

static void add_text(struct str *out, const struct str *text)
{
	uint64_t len = text->failed ? 0 : text->len;

	str_addn(out, &len, sizeof(len));
	str_addn(out, str_get(text), (size_t)len);
}

int outcome_write(const struct outcome *o, int fd)
{
	_str_ struct str out = {};
	uint64_t magic = MAGIC;
	int rc;

	str_addn(&out, &o->facts, sizeof(o->facts));
#define X(name) add_text(&out, &o->name);
	OUTCOME_TEXTS(X)
#undef X
	str_addn(&out, &magic, sizeof(magic));
	rc = str_check(&out);
	if (rc < 0)
		return rc;
	rc = fd_write_all(fd, out.s, out.len);
	return rc < 0 ? err_sys(-rc, "hand on an outcome") : 0;
}

struct cursor {
	const char *at;
	size_t left;
	bool is_short;
};

static void take(struct cursor *c, void *to, size_t len)
{
	if (len > c->left) {
		c->is_short = true;
		return;
	}
	memcpy(to, c->at, len);
	c->at += len;
	c->left -= len;
}

static void take_text(struct cursor *c, struct str *to)
{
	uint64_t len = 0;

	take(c, &len, sizeof(len));
	if (c->is_short || len > c->left) {
		c->is_short = true;
		return;
	}
	str_addn(to, c->at, (size_t)len);
	c->at += len;
	c->left -= (size_t)len;
}

int outcome_read(struct outcome *o, int fd)
{
	_str_ struct str bytes = {};
	int rc = lseek(fd, 0, SEEK_SET) < 0 ? -errno : fd_read_all(fd, &bytes);
	struct cursor c = { .at = bytes.s, .left = bytes.len };
	uint64_t magic = 0;

	*o = (struct outcome){};
	if (rc < 0)
		return err_sys(-rc, "read an outcome");
	take(&c, &o->facts, sizeof(o->facts));
#define X(name) take_text(&c, &o->name);
	OUTCOME_TEXTS(X)
#undef X
	take(&c, &magic, sizeof(magic));
	if (!c.is_short && magic == MAGIC && c.left == 0)
		return 0;
	outcome_finish(o);
	return err_set(EIO, "the outcome is not complete");
}

bool outcome_get_result(const struct outcome *o, struct ktstr_result *r)
{
	_str_ struct str copy = {}; /* parsing modifies the text */
	bool is_read;

	result_init(r);
	str_addn(&copy, str_get(&o->result), o->result.len);
	is_read = copy.len && result_from_json(r, copy.s, copy.len) == 0;
	err_clear();
	return is_read;
}

int outcome_check(const struct outcome *o)
{
	if (o->facts.end == OUTCOME_NOT_RUN || o->facts.end == OUTCOME_LOST)
		return err_set(EIO, "%s", str_get(&o->message));
	return 0;
}

static void spell_nuls(struct str *text)
{
	struct str spelled = {};

	if (!text->len || !memchr(text->s, '\0', text->len))
		return;
	for (size_t i = 0; i < text->len; i++) {
		if (text->s[i])
			str_addc(&spelled, text->s[i]);
		else
			str_add(&spelled, "\\x00");
	}
	str_finish(text);
	*text = spelled;
}

void outcome_spell_nuls(struct outcome *o)
{
	spell_nuls(&o->output);
	spell_nuls(&o->console);
	spell_nuls(&o->sched_log);
}

void outcome_finish(struct outcome *o)
{
#define X(name) str_finish(&o->name);
	OUTCOME_TEXTS(X)
#undef X
	*o = (struct outcome){};
}

const char *outcome_stage(const struct outcome *o)
{
	if (!o->facts.has_started)
		return "init script never started (kernel or mount failure)";
	if (!o->facts.has_payload_started)
		return "init started but payload never ran (cgroup/scheduler setup failed)";
	return o->result.len ? "payload sent its result" :
			       "payload started but produced no test result";
}
