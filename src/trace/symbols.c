// SPDX-License-Identifier: GPL-2.0-only
/* Reads the symbols of a kernel, and looks them up. */
#include "trace/parts.h"

#include "guest/protocol.h"
#include "vm/stock.h"

#define ASK_LIMIT_NS (300 * NSEC_PER_SEC)
#define ADDRESS_DIGITS 16
#define MAX_SYMBOLS (64U << 20)

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* "ffffffff812d1d10 T __switch_to", optionally followed by a tab and [module]. */
static bool is_symbol_line(const char *line, size_t len)
{
	if (len < ADDRESS_DIGITS + 4 || line[ADDRESS_DIGITS] != ' ' ||
	    line[ADDRESS_DIGITS + 2] != ' ')
		return false;
	for (int i = 0; i < ADDRESS_DIGITS; i++)
		if (!is_hex(line[i]))
			return false;
	return true;
}

int symbols_filter(const char *kallsyms, size_t len, struct str *out)
{
	const char *end = kallsyms + len;
	bool has_address = false;

	while (kallsyms < end) {
		const char *newline = memchr(kallsyms, '\n', (size_t)(end - kallsyms));
		size_t line = newline ? (size_t)(newline - kallsyms) : (size_t)(end - kallsyms);

		if (!is_symbol_line(kallsyms, line))
			return err_set(EINVAL, "the guest's list of symbols is malformed");
		has_address |= kallsyms[0] != '0';
		if (!memchr(kallsyms, '[', line)) {
			str_addn(out, kallsyms, line);
			str_addc(out, '\n');
		}
		kallsyms += line + (newline != NULL);
	}
	if (!has_address)
		return err_set(EINVAL, "the guest's kernel hides the addresses of its symbols");
	return str_check(out);
}

static char *cache_path(const char *kernel)
{
	_free_ char *cache = path_cache_part(STOCK_SYMBOLS_PART);
	char hash[SHA256_HEX_SIZE];

	if (!cache || file_hash(kernel, hash) < 0)
		return NULL;
	return str_fmt("%s/%s", cache, hash);
}

static int collect(void *ctx, const struct channel_frame *frame)
{
	struct str *answer = ctx;

	if (frame->type == CHANNEL_STDOUT)
		str_addn(answer, frame->data, frame->length);
	return answer->len <= MAX_SYMBOLS ?
		       0 :
		       err_set(EFBIG, "the guest's kernel has too many symbols");
}

static int ask_guest(const struct vm_session *session, struct str *out)
{
	_free_ char *settings = str_fmt("%s=%s\n", GUEST_MODE, GUEST_MODE_EXEC);
	struct initramfs_run run = { .settings = settings,
				     .exec_command = "exec cat /proc/kallsyms" };
	_str_ struct str answer = {};
	struct vm_session ask = *session;
	struct vm_result result;
	int rc;

	if (!settings)
		return err_no_memory();
	ask.run = &run;
	ask.prelude = NULL;
	ask.plugin = NULL;
	ask.forwards_console = false;
	ask.limit_ns = ASK_LIMIT_NS;
	ask.on_frame = collect;
	ask.ctx = &answer;
	rc = vm_session_run(&ask, &result);
	if (rc < 0)
		return rc;
	if (result.outcome != VM_OUTCOME_EXIT || result.status)
		rc = err_set(EIO, "the guest did not tell its kernel's symbols");
	vm_result_finish(&result);
	return rc < 0 ? rc : symbols_filter(str_get(&answer), answer.len, out);
}

/* Errors are ignored: without the cached copy the next call takes a second longer. */
static void remember(const char *path, const struct str *text)
{
	_free_ char *dir = strndup(path, (size_t)(strrchr(path, '/') - path));

	if (dir && file_make_dirs(dir, 0755) == 0)
		file_replace(path, text->s, text->len, 0644);
	err_clear();
}

static bool read_cached(const char *path, struct symbols *out)
{
	if (access(path, R_OK) == 0 && file_read(path, &out->text) == 0 && out->text.len)
		return true;
	str_finish(&out->text);
	err_clear();
	return false;
}

int symbols_read(const char *kernel, struct symbols *out)
{
	_free_ char *path = cache_path(kernel);

	*out = (struct symbols){};
	if (path && read_cached(path, out))
		return 0;
	return err_set(ENOENT, "the symbols of kernel %s are not known yet: run a test on it once",
		       kernel);
}

int symbols_get(const struct vm_session *session, struct symbols *out)
{
	_free_ char *path = cache_path(session->spec.kernel);
	int rc;

	*out = (struct symbols){};
	if (!path)
		return err_set(ENOENT, "no cache directory for the kernel's symbols");
	if (read_cached(path, out))
		return 0;
	rc = ask_guest(session, &out->text);
	if (rc == 0)
		remember(path, &out->text);
	else
		symbols_finish(out);
	return rc;
}

static uint64_t address_of(const char *line)
{
	uint64_t value = 0;

	for (int i = 0; i < ADDRESS_DIGITS; i++)
		value = value << 4 |
			(uint64_t)(line[i] <= '9' ? line[i] - '0' : line[i] - 'a' + 10);
	return value;
}

/* Offset of the name, after address, type and blanks. */
#define NAME_AT (ADDRESS_DIGITS + 3)

#define SEEN_TWICE UINT64_MAX

bool symbols_next(const struct symbols *s, size_t *at, struct symbol *out)
{
	const char *text = str_get(&s->text);

	while (*at < s->text.len) {
		const char *line = text + *at, *end = memchr(line, '\n', s->text.len - *at);
		size_t len = end ? (size_t)(end - line) : s->text.len - *at;

		*at += len + 1;
		if (len <= NAME_AT)
			continue;
		*out = (struct symbol){ .address = address_of(line),
					.name = line + NAME_AT,
					.len = len - NAME_AT,
					.type = line[ADDRESS_DIGITS + 1] };
		return true;
	}
	return false;
}

/* Prefilter: few of a kernel's 150,000 names have both length and first letter of a wanted one. */
struct wanted {
	uint64_t lengths[256]; /* by first letter: bit mask of lengths */
};

static uint64_t length_bit(size_t len)
{
	return UINT64_C(1) << len % 64;
}

static bool is_wanted(const struct wanted *w, const struct symbol *s)
{
	return w->lengths[(unsigned char)*s->name] & length_bit(s->len);
}

void symbols_find_all(const struct symbols *s, const char *const *names, size_t count,
		      uint64_t *addresses)
{
	struct wanted wanted = {};
	struct symbol symbol;
	size_t at = 0;

	memset(addresses, 0, count * sizeof(*addresses));
	for (size_t i = 0; i < count; i++)
		wanted.lengths[(unsigned char)*names[i]] |= length_bit(strlen(names[i]));
	while (symbols_next(s, &at, &symbol))
		for (size_t i = 0; i < count && is_wanted(&wanted, &symbol); i++)
			if (strncmp(names[i], symbol.name, symbol.len) == 0 &&
			    !names[i][symbol.len])
				addresses[i] = addresses[i] ? SEEN_TWICE : symbol.address;
	for (size_t i = 0; i < count; i++)
		if (addresses[i] == SEEN_TWICE)
			addresses[i] = 0;
}

uint64_t symbols_find(const struct symbols *s, const char *name)
{
	uint64_t address;

	symbols_find_all(s, &name, 1, &address);
	return address;
}

void symbols_finish(struct symbols *s)
{
	str_finish(&s->text);
}
