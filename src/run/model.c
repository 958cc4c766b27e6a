// SPDX-License-Identifier: GPL-2.0-only
/* Downloads, checks and removes the model. */
#include "run/model.h"

#include <sys/statvfs.h>

#include "base/hash.h"
#include "net/http.h"

#define MODEL_BASE_URL "https://huggingface.co/Qwen/Qwen3.5-4B-GGUF/resolve/main"
#define NOTE_SUFFIX ".mtime-size"
#define SLOWEST_BYTES_PER_SECOND 3000000

struct model_pin {
	char file[128];
	uint64_t size;
	char sha256[SHA256_HEX_SIZE];
};

enum model_state {
	MODEL_MISSING,
	MODEL_UNREADABLE,
	MODEL_MISMATCH,
	MODEL_GOOD,
};

static const struct model_pin default_pin = {
	.file = "Qwen3.5-4B-Q4_K_M.gguf",
	.size = 2740937888,
	.sha256 = "00fe7986ff5f6b463e62455821146049db6f9313603938a70800d1fb69ef11a4",
};

/* ---- the pin ---- */

static bool is_hash(const char *text)
{
	return strlen(text) == SHA256_HEX_SIZE - 1 &&
	       strspn(text, "0123456789abcdef") == SHA256_HEX_SIZE - 1;
}

static bool is_file_name(const char *name)
{
	return *name && !strchr(name, '/') && name[0] != '.';
}

static int parse_pin(const char *text, struct model_pin *pin)
{
	char size[24] = "", hash[80] = "";

	*pin = (struct model_pin){};
	if (sscanf(text, "%127[^,],%23[^,],%79[^,]", pin->file, size, hash) != 3 ||
	    !is_file_name(pin->file) || parse_u64(size, &pin->size) < 0 || !pin->size ||
	    !is_hash(hash))
		return err_set(
			EINVAL,
			"KTSTR_MODEL_PIN is '%s'; it has the form FILE,BYTES,SHA256 with the "
			"hash in lower-case hexadecimal",
			text);
	memcpy(pin->sha256, hash, sizeof(pin->sha256));
	return 0;
}

/* The model of this release, or that of KTSTR_MODEL_PIN. Returns -EINVAL if that is malformed. */
static int model_pin(struct model_pin *pin)
{
	const char *text = env_get("KTSTR_MODEL_PIN");

	if (text)
		return parse_pin(text, pin);
	*pin = default_pin;
	return 0;
}

/* ---- its place ---- */

static char *model_dir(void)
{
	const char *cache = env_get("KTSTR_CACHE_DIR"), *xdg = env_get("XDG_CACHE_HOME");
	const char *home = env_get("HOME");

	if (cache)
		return strdup(cache);
	if (xdg)
		return str_fmt("%s/ktstr/models", xdg);
	if (home && home[0] == '/' && home[1])
		return str_fmt("%s/.cache/ktstr/models", home);
	err_set(ENOENT, "no place for models: HOME is %s; set XDG_CACHE_HOME or KTSTR_CACHE_DIR",
		!home	       ? "not set" :
		home[0] == '/' ? "/" :
				 "no absolute path");
	return NULL;
}

char *model_path(void)
{
	_free_ char *dir = model_dir();
	struct model_pin pin;

	if (!dir || model_pin(&pin) < 0)
		return NULL;
	return str_fmt("%s/%s", dir, pin.file);
}

static int model_place(struct model_pin *pin, char **path)
{
	int rc = model_pin(pin);

	*path = rc < 0 ? NULL : model_path();
	return *path || rc < 0 ? rc : -ENOENT;
}

/* ---- its state ---- */

static void note_text(const struct stat *st, char out[static 64])
{
	snprintf(out, 64, "%lld.%09ld %lld\n", (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
		 (long long)st->st_size);
}

static bool has_good_note(const char *path, const struct stat *st)
{
	_free_ char *name = str_fmt("%s" NOTE_SUFFIX, path);
	_str_ struct str note = {};
	char expected[64];

	note_text(st, expected);
	return name && file_read_at(AT_FDCWD, name, &note) == 0 && str_eq(str_get(&note), expected);
}

/* The note only saves work, so a failure to write it is not an error. */
static void write_note(const char *path, const struct stat *st)
{
	_free_ char *name = str_fmt("%s" NOTE_SUFFIX, path);
	char text[64];

	note_text(st, text);
	if (!name || file_replace(name, text, strlen(text), 0644) < 0)
		log_debug("payload", "no note beside %s: %s", path, err_text(-EIO));
}

static int unreadable(struct str *why, int error, enum model_state *state)
{
	*state = MODEL_UNREADABLE;
	str_add(why, strerror(error));
	return str_check(why);
}

/*
 * The state of the cached file. If may_trust, a note beside the file, which says that it
 * was hashed and found good, is enough; else the bytes are hashed. why is set if it is
 * unreadable.
 */
static int model_state(const struct model_pin *pin, const char *path, bool may_trust,
		       enum model_state *state, struct str *why)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char hex[SHA256_HEX_SIZE];
	struct stat st;
	int rc;

	*state = MODEL_MISSING;
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : unreadable(why, errno, state);
	if (fstat(fd, &st) < 0)
		return unreadable(why, errno, state);
	if (!S_ISREG(st.st_mode))
		return unreadable(why, EISDIR, state);
	*state = MODEL_MISMATCH;
	if ((uint64_t)st.st_size != pin->size)
		return 0;
	if (may_trust && has_good_note(path, &st)) {
		*state = MODEL_GOOD;
		return 0;
	}
	rc = fd_hash(fd, hex);
	if (rc < 0)
		return unreadable(why, -rc, state);
	if (!str_eq(hex, pin->sha256))
		return 0;
	*state = MODEL_GOOD;
	write_note(path, &st);
	return 0;
}

/* ---- fetching ---- */

static int check_offline(enum model_state state, const char *path, const struct str *why)
{
	if (!env_get("KTSTR_MODEL_OFFLINE"))
		return 0;
	if (state == MODEL_UNREADABLE)
		return err_set(EIO,
			       "the model %s cannot be read (%s), and KTSTR_MODEL_OFFLINE "
			       "forbids to download it",
			       path, str_get(why));
	if (state == MODEL_MISMATCH)
		return err_set(EIO,
			       "the model %s has another hash than it should, and "
			       "KTSTR_MODEL_OFFLINE forbids to download it",
			       path);
	return err_set(ENOENT,
		       "the model %s is not cached, and KTSTR_MODEL_OFFLINE forbids to download it",
		       path);
}

static int check_space(const struct model_pin *pin, const char *dir)
{
	uint64_t needed = pin->size + pin->size / 10, free_bytes;
	struct statvfs st;

	if (statvfs(dir, &st) < 0)
		return err_sys(errno, "ask for the free space of %s", dir);
	free_bytes = (uint64_t)st.f_bavail * st.f_frsize;
	if (free_bytes < needed)
		return err_set(ENOSPC, "%s has %llu MiB free, the model needs %llu MiB", dir,
			       ULL(free_bytes >> 20), ULL(needed >> 20));
	return 0;
}

static long download_timeout_s(uint64_t size)
{
	uint64_t seconds = size / SLOWEST_BYTES_PER_SECOND;

	return (long)MIN(MAX(seconds, 60), 1800);
}

static int download(const struct model_pin *pin, const char *temp)
{
	_free_ char *base = http_base("KTSTR_MODEL_URL", MODEL_BASE_URL);
	_free_ char *url = base ? str_fmt("%s/%s", base, pin->file) : NULL;
	struct http_answer answer;
	int rc;

	if (!url)
		return err_no_memory();
	rc = http_get_file(url,
			   &(struct http_file){ .path = temp,
						.what = "ktstr: downloading the model",
						.limit = pin->size,
						.timeout_s = download_timeout_s(pin->size) },
			   &answer);
	if (rc < 0)
		return rc;
	if (answer.status != 200)
		return err_set(EIO, "%s: the server answered %ld", url, answer.status);
	return 0;
}

static int check_download(const struct model_pin *pin, const char *temp)
{
	_close_ int fd = open(temp, O_RDONLY | O_CLOEXEC);
	char hex[SHA256_HEX_SIZE];
	struct stat st;
	int rc;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(errno, "read %s", temp);
	rc = fd_hash(fd, hex);
	if (rc < 0)
		return err_sys(-rc, "read %s", temp);
	if ((uint64_t)st.st_size == pin->size && str_eq(hex, pin->sha256))
		return 0;
	return err_set(EBADMSG,
		       "the downloaded model is not the pinned one: %lld bytes with SHA-256 %s, "
		       "expected %llu bytes with %s",
		       (long long)st.st_size, hex, ULL(pin->size), pin->sha256);
}

static int put_in_place(const char *temp, const char *path)
{
	struct stat st;

	if (rename(temp, path) < 0)
		return err_sys(errno, "rename %s", temp);
	if (stat(path, &st) == 0)
		write_note(path, &st);
	return 0;
}

static int fetch_to(const struct model_pin *pin, const char *dir, const char *path)
{
	_free_ char *temp = str_fmt("%s.%d.tmp", path, (int)getpid());
	int rc = temp ? check_space(pin, dir) : err_no_memory();

	if (rc < 0)
		return rc;
	rc = download(pin, temp) ?: check_download(pin, temp) ?: put_in_place(temp, path);
	if (rc < 0)
		unlink(temp);
	return rc;
}

static int model_fetch(const struct model_pin *pin, const char *path)
{
	_free_ char *dir = model_dir();
	_str_ struct str why = {};
	enum model_state state;
	int rc;

	if (!dir)
		return -ENOENT;
	rc = model_state(pin, path, false, &state, &why);
	if (rc < 0 || state == MODEL_GOOD)
		return rc;
	rc = check_offline(state, path, &why) ?: file_make_dirs(dir, 0755);
	return rc < 0 ? rc : fetch_to(pin, dir, path);
}

/* ---- output ---- */

int model_fetch_text(const char *program, struct str *out)
{
	_free_ char *path = NULL;
	struct model_pin pin;
	int rc = model_place(&pin, &path) ?: model_fetch(&pin, path);

	if (rc == 0)
		str_addf(out, "%s: model '%s' ready at %s\n", program, pin.file, path);
	return rc;
}

static void add_hint(struct str *out, const struct model_pin *pin, enum model_state state,
		     const struct str *why)
{
	if (state == MODEL_MISSING)
		str_addf(out, "(not downloaded; 'model fetch' gets %llu MiB)\n",
			 ULL(pin->size >> 20));
	else if (state == MODEL_UNREADABLE)
		str_addf(out, "(the file cannot be read: %s)\n", str_get(why));
	else if (state == MODEL_MISMATCH)
		str_add(out, "(the file is not the pinned model; 'model fetch' replaces it)\n");
}

int model_status_text(struct str *out)
{
	_free_ char *path = NULL;
	_str_ struct str why = {};
	enum model_state state;
	struct model_pin pin;
	int rc = model_place(&pin, &path) ?: model_state(&pin, path, true, &state, &why);

	if (rc < 0)
		return rc;
	str_addf(out, "model:    %s\npath:     %s\ncached:   %s\nchecked:  %s\n", pin.file, path,
		 state == MODEL_MISSING ? "false" : "true", state == MODEL_GOOD ? "true" : "false");
	add_hint(out, &pin, state, &why);
	return 0;
}

static void add_size(struct str *out, uint64_t bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB" };
	double value = (double)bytes / 1024;
	size_t i = 0;

	if (bytes < 1024) {
		str_addf(out, "%llu bytes", ULL(bytes));
		return;
	}
	for (; value >= 1024 && i < ARRAY_SIZE(units) - 1; i++)
		value /= 1024;
	str_addf(out, "%.2f %s", value, units[i]);
}

/*
 * Returns the number of bytes that were freed; -ENOENT without a message if there is no
 * such file.
 */
static int64_t remove_file(const char *path, struct str *out)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR ? -ENOENT :
							     err_sys(errno, "remove %s", path);
	if (unlink(path) < 0)
		return err_sys(errno, "remove %s", path);
	str_addf(out, "removed %s (", path);
	add_size(out, (uint64_t)st.st_size);
	str_add(out, ")\n");
	return st.st_size;
}

int model_clean_text(struct str *out)
{
	_free_ char *path = model_path();
	_free_ char *note = path ? str_fmt("%s" NOTE_SUFFIX, path) : NULL;
	const char *const files[] = { path, note };
	uint64_t freed = 0;
	bool is_empty = true;

	if (!path || !note)
		return -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		int64_t size = remove_file(files[i], out);

		if (size < 0 && size != -ENOENT)
			return (int)size;
		is_empty &= size < 0;
		freed += size > 0 ? (uint64_t)size : 0;
	}
	if (is_empty) {
		str_addf(out, "no cached model found at %s\n", path);
		return 0;
	}
	str_add(out, "freed ");
	add_size(out, freed);
	str_add(out, " total\n");
	return 0;
}
