// SPDX-License-Identifier: GPL-2.0-only
/* Runs apt-get with private directories. */
#include "kernel/parts.h"

#include <sys/mman.h>

#define KEYRING "/usr/share/keyrings/debian-archive-keyring.gpg"

/* Suites with kernels that have sched_ext, and small suites with older kernels. */
#define SUITES "trixie-backports sid bookworm-backports"

/* Usually needs a second of CPU time; on a busy machine it has taken 45 s. */
#define ANSWER_NS (180 * NSEC_PER_SEC)
#define UPDATE_NS (300 * NSEC_PER_SEC)
#define DOWNLOAD_NS (1800 * NSEC_PER_SEC)
#define STEP_NS (100 * NSEC_PER_MSEC)

/*
 * Number of progress steps without data after which the archive counts as unreachable. Few for an
 * update, which detects being offline; a download follows a successful update. Steps instead of
 * time: on a busy machine apt starts late, and so do its steps.
 */
#define UPDATE_SILENCE 50
#define DOWNLOAD_SILENCE 200

#define URL_AGE_S (24L * 60 * 60)
#define MAX_ARGS 40

const char *apt_arch(void)
{
	return str_eq(cache_arch(), "aarch64") ? "arm64" : "amd64";
}

/* One run of apt-get; its output is kept for an error message. */
struct apt_run {
	struct child child;
	int log_fd;
};

static void apt_run_finish(struct apt_run *r)
{
	child_finish(&r->child);
	cleanup_fd(&r->log_fd);
}

#define _apt_run_ _cleanup_(apt_run_finish)

/* Settings that keep apt from using the machine's own state. */
struct apt_args {
	const char *argv[MAX_ARGS];
	char *owned[MAX_ARGS];
	size_t count, owned_count;
	bool failed;
};

static void add_arg(struct apt_args *args, const char *text)
{
	if (args->count + 1 < MAX_ARGS)
		args->argv[args->count++] = text;
	else
		args->failed = true;
}

static void __attribute__((format(printf, 2, 3)))
add_option(struct apt_args *args, const char *fmt, ...)
{
	struct str text = {};
	char *option;

	str_add_rest(&text, fmt);
	option = str_take(&text);
	if (!option) {
		args->failed = true;
		return;
	}
	args->owned[args->owned_count++] = option;
	add_arg(args, "-o");
	add_arg(args, option);
}

static void apt_args_init(struct apt_args *args, const struct apt *a)
{
	*args = (struct apt_args){};
	add_arg(args, "apt-get");
	add_arg(args, "-qq");
	add_option(args, "Dir::State=%s/state", a->directory);
	add_option(args, "Dir::State::status=%s/status", a->directory);
	add_option(args, "Dir::Cache=%s/cache", a->directory);
	add_option(args, "Dir::Cache::pkgcache=pkgcache.bin");
	add_option(args, "Dir::Etc::sourcelist=/dev/null");
	add_option(args, "Dir::Etc::sourceparts=%s/sources", a->directory);
	add_option(args, "Dir::Etc::preferences=/dev/null");
	add_option(args, "Dir::Etc::preferencesparts=/dev/null");
	add_option(args, "APT::Architecture=%s", apt_arch());
	add_option(args, "Acquire::Languages=none");
	add_option(args, "Acquire::AllowReleaseInfoChange=true");
	add_option(args, "Acquire::Retries=0");
	add_option(args, "APT::Update::Error-Mode=any");
	add_option(args, "Acquire::http::Timeout=4");
	add_option(args, "Acquire::https::Timeout=4");
	/* Do not switch to the user _apt, which cannot access a private cache. */
	add_option(args, "APT::Sandbox::User=root");
}

static void apt_args_finish(struct apt_args *args)
{
	for (size_t i = 0; i < args->owned_count; i++)
		free(args->owned[i]);
}

#define _apt_args_ _cleanup_(apt_args_finish)

static int start(struct apt_run *r, const struct apt_args *args, const char *directory)
{
	*r = (struct apt_run){ .log_fd = memfd_create("apt", MFD_CLOEXEC) };
	if (r->log_fd < 0)
		return err_sys(errno, "keep the output of apt-get");
	if (args->failed)
		return err_no_memory();
	return child_start(&r->child, &(struct child_opts){
					      .argv = args->argv,
					      .directory = directory,
					      .stdout_fd = r->log_fd,
					      .stderr_fd = r->log_fd,
				      });
}

/* Appends the first error; later ones are consequences. */
static void add_complaint(const struct apt_run *r, struct str *out)
{
	char text[8192];
	ssize_t n = pread(r->log_fd, text, sizeof(text) - 1, 0);
	const char *line;

	text[n > 0 ? n : 0] = '\0';
	for (line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (str_starts(line, "E:") || str_starts(line, "W:") || str_starts(line, "Err"))
			break;
	if (!*line)
		line = text;
	if (str_starts(line, "E: ") || str_starts(line, "W: "))
		line += 3;
	str_addn(out, line, strcspn(line, "\n"));
}

static int complain(const struct apt_run *r, int errnum, const char *what)
{
	_str_ struct str why = {};

	add_complaint(r, &why);
	return err_set(errnum, "%s: %s", what, why.len ? str_get(&why) : "apt-get failed");
}

/* Finds the archive among the sources of this machine: lines "ORIGIN|LABEL|URI". */
static char *choose_url(char *targets)
{
	char *by_name = NULL, *save = NULL;

	for (char *line = strtok_r(targets, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *uri = strrchr(line, '|');
		size_t len;

		if (!uri)
			continue;
		len = strlen(++uri);
		while (len && uri[len - 1] == '/')
			len--;
		uri[len] = '\0';
		if (str_starts(line, "Debian|Debian|"))
			return uri;
		/* Without downloaded lists the origin is unknown, but the path is a common one. */
		if (!by_name && len > 7 && str_eq(uri + len - 7, "/debian"))
			by_name = uri;
	}
	return by_name;
}

/* Uses the URL found today: asking apt takes longer than everything else. */
static bool read_known_url(struct apt *a, const char *path)
{
	_str_ struct str text = {};

	if (!file_read_fresh(path, URL_AGE_S, &text))
		return false;
	str_trim_end(&text);
	a->url = text.len ? str_take(&text) : NULL;
	return a->url;
}

static int ask_apt(struct apt *a)
{
	static const char *const argv[] = { "apt-get", "indextargets", "--format",
					    "$(ORIGIN)|$(LABEL)|$(REPO_URI)", NULL };
	_str_ struct str targets = {};
	char *url;
	int rc = child_output(argv, ANSWER_NS, &targets);

	if (rc < 0)
		return err_set(ENOTSUP, "%s, so no images of a distribution are available",
			       rc == -ETIMEDOUT ? err_text(rc) : "there is no apt-get here");
	url = targets.len ? choose_url(targets.s) : NULL;
	if (!url)
		return err_set(ENOTSUP, "apt on this machine has no Debian archive, so no "
					"images are available; KTSTR_DEBIAN_URL may name one");
	a->url = strdup(url);
	return a->url ? 0 : err_no_memory();
}

static int find_url(struct apt *a)
{
	const char *own = env_get("KTSTR_DEBIAN_URL");
	_free_ char *path = str_fmt("%s/url", a->directory);
	int rc;

	if (own) {
		a->url = strdup(own);
		return a->url ? 0 : err_no_memory();
	}
	if (!path)
		return err_no_memory();
	if (read_known_url(a, path))
		return 0;
	rc = ask_apt(a) ?: path_cache_make(a->directory);
	return rc < 0 || !a->url ? rc : file_replace(path, a->url, strlen(a->url), 0644);
}

void apt_forget(const char *root)
{
	_free_ char *path = str_fmt("%s/.apt/url", root);

	if (path)
		unlink(path);
}

static int write_below(const char *directory, const char *name, const char *text)
{
	_free_ char *path = str_fmt("%s/%s", directory, name);

	if (!path)
		return err_no_memory();
	return path_cache_explain(file_replace(path, text, strlen(text), 0644));
}

static int make_directories(const struct apt *a)
{
	static const char *const names[] = { "state/lists/partial", "cache/archives/partial",
					     "sources" };
	_str_ struct str sources = {};
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names) && rc == 0; i++) {
		_free_ char *path = str_fmt("%s/%s", a->directory, names[i]);

		rc = path ? path_cache_make(path) : err_no_memory();
	}
	str_addf(&sources,
		 "Types: deb\nURIs: %s\nSuites: " SUITES "\nComponents: main\n"
		 "Architectures: %s\nSigned-By: %s\n",
		 a->url, apt_arch(), a->keyring);
	rc = rc ?: str_check(&sources);
	rc = rc ?: write_below(a->directory, "sources/kernels.sources", str_get(&sources));
	return rc < 0 ? rc : write_below(a->directory, "status", "");
}

int apt_open(struct apt *a, const char *root)
{
	const char *keyring = env_get("KTSTR_DEBIAN_KEYRING");
	int rc;

	*a = (struct apt){ .directory = str_fmt("%s/.apt", root),
			   .keyring = strdup(keyring ? keyring : KEYRING) };
	rc = a->directory && a->keyring ? find_url(a) : err_no_memory();
	if (rc == 0 && a->keyring && access(a->keyring, R_OK) < 0)
		rc = err_set(ENOTSUP,
			     "%s is not there, so no package can be checked; install "
			     "debian-archive-keyring",
			     a->keyring);
	rc = rc ?: make_directories(a);
	if (rc < 0)
		apt_finish(a);
	return rc;
}

void apt_finish(struct apt *a)
{
	free(a->directory);
	free(a->url);
	free(a->keyring);
	*a = (struct apt){};
}

/* Bytes in files of a directory that have changed since then. */
static uint64_t fresh_bytes(const char *path, time_t since)
{
	_closedir_ DIR *dir = opendir(path);
	struct dirent *item;
	uint64_t bytes = 0;
	struct stat st;

	while (dir && (item = readdir(dir)))
		if (!str_eq(item->d_name, "lock") &&
		    fstatat(dirfd(dir), item->d_name, &st, 0) == 0 && S_ISREG(st.st_mode) &&
		    st.st_mtime >= since)
			bytes += (uint64_t)st.st_size;
	return bytes;
}

/* Waits for the end; shows the amount of data in the directories. -ETIMEDOUT without progress. */
static int watch(struct apt_run *r, const char *const *directories, struct progress *bar,
		 uint64_t timeout_ns, unsigned int silence)
{
	uint64_t start_ns = clock_mono_ns();
	time_t since = time(NULL) - 1;

	for (unsigned int step = 0;; step++) {
		uint64_t bytes = 0;
		int rc = child_wait(&r->child, STEP_NS);

		if (rc != -ETIMEDOUT)
			return rc;
		rc = interrupt_check();
		if (rc < 0)
			return rc;
		for (size_t i = 0; directories[i]; i++)
			bytes += fresh_bytes(directories[i], since);
		progress_update(bar, bytes >> 20);
		if (clock_mono_ns() - start_ns > timeout_ns || (!bytes && step > silence))
			return -ETIMEDOUT;
	}
}

int apt_update(const struct apt *a, const char *label)
{
	_free_ char *lists = str_fmt("%s/state/lists", a->directory);
	_free_ char *partial = str_fmt("%s/state/lists/partial", a->directory);
	_free_ char *what = str_fmt("%s: reading the package index (MiB)", label);
	_apt_args_ struct apt_args args = {};
	_apt_run_ struct apt_run run = { .log_fd = -1 };
	struct progress bar;
	int rc;

	if (!lists || !partial || !what)
		return err_no_memory();
	apt_args_init(&args, a);
	add_arg(&args, "update");
	rc = start(&run, &args, NULL);
	if (rc < 0)
		return rc;
	progress_start(&bar, what, 0);
	rc = watch(&run, (const char *const[]){ lists, partial, NULL }, &bar, UPDATE_NS,
		   UPDATE_SILENCE);
	progress_end(&bar);
	if (rc == -ETIMEDOUT)
		return err_set(ENETUNREACH, "the package archive %s does not answer", a->url);
	return rc > 0 ? complain(&run, ENETUNREACH, "read the package archive") : rc;
}

int apt_indexes(const struct apt *a, struct str *out)
{
	_apt_args_ struct apt_args args = {};

	apt_args_init(&args, a);
	add_arg(&args, "indextargets");
	add_arg(&args, "--format");
	add_arg(&args, "$(CODENAME) $(FILENAME)");
	add_arg(&args, "Created-By: Packages");
	if (args.failed)
		return err_no_memory();
	return child_output(args.argv, ANSWER_NS, out);
}

/* The only package in the directory. */
static int find_package(const char *directory, struct str *path)
{
	_closedir_ DIR *dir = opendir(directory);
	struct dirent *item;

	while (dir && (item = readdir(dir))) {
		size_t len = strlen(item->d_name);

		if (len > 4 && str_eq(item->d_name + len - 4, ".deb")) {
			str_addf(path, "%s/%s", directory, item->d_name);
			return str_check(path);
		}
	}
	return err_set(EIO, "apt-get left no package in %s", directory);
}

int apt_download(const struct apt *a, const char *package, const char *version, uint64_t size,
		 const char *directory, const char *what, struct str *path)
{
	_free_ char *wanted = str_fmt("%s=%s", package, version);
	_free_ char *place = str_fmt("%s/%s", directory, package);
	_apt_args_ struct apt_args args = {};
	_apt_run_ struct apt_run run = { .log_fd = -1 };
	struct progress bar;
	int rc;

	if (!wanted || !place)
		return err_no_memory();
	if (mkdir(place, 0755) < 0 && errno != EEXIST)
		return err_sys(errno, "create %s", place);
	apt_args_init(&args, a);
	add_arg(&args, "download");
	add_arg(&args, wanted);
	rc = start(&run, &args, place);
	if (rc < 0)
		return rc;
	progress_start(&bar, what, size >> 20);
	rc = watch(&run, (const char *const[]){ place, NULL }, &bar, DOWNLOAD_NS, DOWNLOAD_SILENCE);
	progress_end(&bar);
	if (rc == -ETIMEDOUT)
		return err_set(ENETUNREACH, "the package archive %s does not answer", a->url);
	if (rc > 0)
		return complain(&run, EIO, "download the package");
	return rc < 0 ? rc : find_package(place, path);
}
