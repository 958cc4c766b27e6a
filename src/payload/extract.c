// SPDX-License-Identifier: GPL-2.0-only
/* Runs requests for extraction on the host: prompts and answers. */
#include "payload/payload.h"

#define MODEL_TIMEOUT_NS (600 * NSEC_PER_SEC)
#define MAX_WORDS 64

/* ---- the prompt ---- */

/* Removes the model's control words from text that comes from outside. */
static void add_without_control(struct str *out, const char *text)
{
	while (*text) {
		const char *end = str_starts(text, "<|") ? strstr(text, "|>") : NULL;

		if (end && memchr(text, '\n', (size_t)(end - text)) == NULL) {
			text = end + 2;
			continue;
		}
		str_addc(out, *text++);
	}
}

static bool is_blank_text(const char *text)
{
	return !text || text[strspn(text, " \t\r\n")] == '\0';
}

static void add_prompt(struct str *out, const struct extract_request *q, const char *label,
		       const char *text)
{
	str_add(out, "Read the output of a benchmark below. Answer with one flat JSON object whose "
		     "keys are the names of the metrics in it and whose values are numbers. Answer "
		     "with nothing else.\n");
	if (!is_blank_text(q->hint)) {
		str_add(out, "Focus: ");
		add_without_control(out, q->hint);
		str_addc(out, '\n');
	}
	str_addf(out, "%s:\n", label);
	add_without_control(out, text);
	str_addc(out, '\n');
}

/* ---- the command ---- */

struct split_words {
	char *text;
	const char *words[MAX_WORDS + 2];
};

static int split_command(const char *text, const char *model_path, struct split_words *c)
{
	size_t count = 0;

	c->text = strdup(text);
	if (!c->text)
		return err_no_memory();
	for (char *save = NULL, *word = strtok_r(c->text, " \t", &save); word;
	     word = strtok_r(NULL, " \t", &save)) {
		if (count == MAX_WORDS)
			return err_set(EINVAL, "KTSTR_LLM_CMD has more than %d words", MAX_WORDS);
		c->words[count++] = word;
	}
	if (!count)
		return err_set(EINVAL, "KTSTR_LLM_CMD names no program");
	c->words[count] = model_path;
	return 0;
}

static int read_back(int fd, struct str *out)
{
	char chunk[4096];
	ssize_t n;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	while ((n = read(fd, chunk, sizeof(chunk))) > 0 && out->len < PAYLOAD_MAX_OUTPUT)
		str_addn(out, chunk, (size_t)n);
	return n < 0 ? -errno : str_check(out);
}

static void add_last_line(struct str *out, const struct str *text)
{
	const char *s = str_get(text), *line;
	size_t len = text->len;

	while (len && (s[len - 1] == '\n' || s[len - 1] == '\r'))
		len--;
	line = memrchr(s, '\n', len);
	line = line ? line + 1 : s;
	str_addf(out, ": %.*s", (int)MIN(len - (size_t)(line - s), (size_t)200), line);
}

/* Returns 0 with the answer, or -EPROTO with the reason why there is none. */
static int run_command(const struct split_words *c, const char *prompt, struct str *answer)
{
	_cleanup_(child_finish) struct child child = {};
	_close_ int in = memory_file("ktstr-prompt", prompt, strlen(prompt));
	_close_ int out = memory_file("ktstr-answer", NULL, 0);
	_close_ int err = memory_file("ktstr-errors", NULL, 0);
	_str_ struct str errors = {}, why = {};
	int status, rc;

	if (in < 0 || out < 0 || err < 0)
		return err_sys(errno, "make room for the model's answer");
	rc = child_start(&child, &(struct child_opts){ .argv = c->words,
						       .stdin_fd = in,
						       .stdout_fd = out,
						       .stderr_fd = err });
	status = rc < 0 ? rc : child_wait(&child, MODEL_TIMEOUT_NS);
	if (status < 0)
		return err_set(EPROTO, "LlmExtract model load failed: %s", err_text(status));
	if (status > 0) {
		str_addf(&why, "LlmExtract model load failed: %s exited with code %d", c->words[0],
			 status);
		if (read_back(err, &errors) == 0 && errors.len)
			add_last_line(&why, &errors);
		return err_set(EPROTO, "%s", str_get(&why));
	}
	rc = read_back(out, answer);
	return rc < 0 ? err_sys(-rc, "read the model's answer") : 0;
}

/* Some models write their reasoning before the answer. */
static const char *after_thinking(const char *answer)
{
	const char *end = strstr(answer, "</think>");

	return end ? end + strlen("</think>") : answer;
}

/* ---- extraction ---- */

struct stream {
	const char *name, *label, *text;
};

static int ask(const struct extract_request *q, const struct split_words *c,
	       const struct stream *from, struct payload_metrics *metrics)
{
	_str_ struct str prompt = {}, answer = {};
	const char *text = from->text;
	int rc;

	if (is_blank_text(text))
		return 0;
	add_prompt(&prompt, q, from->label, text);
	rc = str_check(&prompt) ?: run_command(c, prompt.s, &answer);
	if (rc < 0)
		return rc;
	text = after_thinking(str_get(&answer));
	rc = metrics_from_json(metrics, text, strlen(text), "llm", from->name, true);
	return rc == -ENOENT ? 0 : rc;
}

static int check_set(const struct extract_request *q, struct payload_judgement *j)
{
	const struct payload_metrics *m = &j->metrics;
	const struct ktstr_metric_bounds *b = &q->bounds;
	bool is_bounded = b->value_min != 0 || b->value_max != 0;
	int rc = 0;

	if (m->count < b->min_count)
		rc = payload_message(&j->failures,
				     "LlmExtract found %zu metrics, expected at least %u", m->count,
				     b->min_count);
	vec_each_while(const struct payload_metric, metric, m, rc == 0) {
		if (metrics_find(m, metric->name) != metric)
			rc = payload_message(&j->failures, "LlmExtract found metric '%s' twice",
					     metric->name);
		if (rc == 0 && is_bounded &&
		    (metric->value < b->value_min || metric->value > b->value_max))
			rc = payload_message(&j->failures,
					     "LlmExtract metric '%s' = %g outside [%g, %g]",
					     metric->name, metric->value, b->value_min,
					     b->value_max);
	}
	return rc;
}

static int extract(const struct extract_request *q, const struct split_words *c,
		   struct payload_judgement *j)
{
	const struct stream out = { "stdout", "STDOUT", q->out },
			    err = { "stderr", "STDERR", q->err };
	int rc = ask(q, c, &out, &j->metrics);

	if (rc == 0 && !j->metrics.count)
		rc = ask(q, c, &err, &j->metrics);
	if (rc < 0)
		return rc;
	metrics_apply_hints(&j->metrics, q->hints.items);
	rc = check_set(q, j);
	return rc    ?:
		       payload_check_metrics(q->checks.items, &j->metrics, &j->failures,
					     &j->is_judged);
}

static int undecided(struct payload_judgement *j, const char *reason)
{
	j->undecided = strdup(reason);
	return j->undecided ? 0 : err_no_memory();
}

static int carry_out(const struct extract_request *q, const char *model_path,
		     struct payload_judgement *j)
{
	/* A model that failed to load would fail for the next payload, too. */
	static _Thread_local char *failed;
	_cleanup_(cleanup_free) char *words = NULL;
	const char *text = env_get("KTSTR_LLM_CMD");
	struct split_words c = {};
	int rc;

	if (!text) {
		j->undecided = str_fmt(
			"metrics of payload '%s' were not extracted: KTSTR_LLM_CMD is not set; it "
			"names a program that takes a model's path and, on stdin, a prompt, and "
			"prints JSON",
			q->payload);
		return j->undecided ? 0 : err_no_memory();
	}
	if (failed)
		return undecided(j, failed);
	rc = split_command(text, model_path, &c);
	words = c.text; /* NOLINT: freed at the end */
	rc = rc ?: extract(q, &c, j);
	if (rc == -EPROTO)
		failed = strdup(err_text(rc));
	if (rc == -EPROTO || rc == -EINVAL)
		return undecided(j, err_text(rc));
	return rc;
}

/* Units point into the request's text, which will be freed, so copy them. */
static int keep_units(struct extraction *e)
{
	_str_ struct str units = {};
	struct payload_metrics *m = &e->judgement.metrics;
	const char *at;

	for (size_t i = 0; i < m->count; i++) {
		str_add(&units, m->items[i].unit ? m->items[i].unit : "");
		str_addc(&units, '\0');
	}
	e->units = str_take(&units);
	if (m->count && !e->units)
		return err_no_memory();
	at = e->units;
	for (size_t i = 0; i < m->count; i++, at += strlen(at) + 1)
		if (m->items[i].unit)
			m->items[i].unit = at;
	return 0;
}

int extraction_run(char *request, size_t len, const char *model_path, struct extraction *to)
{
	_cleanup_(extract_request_finish) struct extract_request q = {};
	int rc;

	*to = (struct extraction){};
	rc = extract_request_read(&q, request, len);
	if (rc < 0)
		return rc;
	to->payload = q.payload ? strdup(q.payload) : NULL;
	to->run_index = (unsigned int)q.run_index;
	rc = to->payload ? carry_out(&q, model_path, &to->judgement) : err_no_memory();
	rc = rc ?: keep_units(to);
	if (rc < 0)
		extraction_finish(to);
	return rc;
}

void extraction_finish(struct extraction *e)
{
	payload_judgement_finish(&e->judgement);
	free(e->payload);
	free(e->units);
	*e = (struct extraction){};
}
