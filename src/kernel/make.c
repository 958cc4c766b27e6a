// SPDX-License-Identifier: GPL-2.0-only
/* Runs make. */

#include "kernel/parts.h"

#define HELPER_TIMEOUT_NS (1800 * NSEC_PER_SEC)
#define MAX_WORDS 6

/* For 7.0 and newer: older versions write BTF in which sched_ext kfuncs cannot be called. */
#define PAHOLE_FOR_7_0 126

static int run_make(const struct make_job *job, uint64_t timeout_ns, const char *const *words)
{
	/* Do not pass on the settings of a make that runs us. */
	const char *argv[8 + MAX_WORDS] = { "env", "-u", "MAKEFLAGS", "-u", "MAKELEVEL", "make" };
	_free_ char *what = str_fmt("%s: make %s (s)", job->label, words[0]);
	_str_ struct str out = {};
	size_t count = 6;
	int rc;

	if (!what)
		return err_no_memory();
	for (size_t i = 0; i < MAX_WORDS && words[i]; i++)
		argv[count++] = words[i];
	rc = command_run(&(struct command){ .argv = argv,
					    .directory = job->tree,
					    .timeout_ns = timeout_ns,
					    .what = what,
					    .merge_stderr = true,
					    .show = job->is_verbose },
			 &out);
	if (rc == 0 || rc == -EINTR)
		return rc;
	fputs(str_get(&out), stderr);
	if (rc < 0)
		return err_wrap(rc, "make %s in %s", words[0], job->tree);
	return err_set(EIO, "make %s in %s failed with status %d; its output is above", words[0],
		       job->tree, rc);
}

#define MAKE(job, timeout_ns, ...) \
	run_make(job, timeout_ns, (const char *const[]){ __VA_ARGS__, NULL })

int make_clean(const struct make_job *job)
{
	return MAKE(job, HELPER_TIMEOUT_NS, "mrproper");
}

static void add_wanted(const struct make_job *job, struct str *out)
{
	size_t len;
	const char *fragment = kconfig_fragment(&len);

	str_addn(out, fragment, len);
	if (job->extra_kconfig)
		str_addf(out, "\n%s\n", job->extra_kconfig);
}

static int append_fragment(const char *path, const struct str *config, const struct str *wanted)
{
	_str_ struct str text = {};
	int rc;

	str_addn(&text, str_get(config), config->len);
	str_addc(&text, '\n');
	str_addn(&text, str_get(wanted), wanted->len);
	rc = str_check(&text);
	return rc ?: file_replace(path, str_get(&text), text.len, 0644);
}

int make_configure(const struct make_job *job)
{
	_free_ char *path = str_fmt("%s/.config", job->tree);
	_str_ struct str config = {}, wanted = {};
	int rc;

	if (!path)
		return err_no_memory();
	rc = file_read_at(AT_FDCWD, path, &config);
	if (rc == -ENOENT) {
		rc = MAKE(job, HELPER_TIMEOUT_NS, "defconfig") ?: file_read(path, &config);
	} else if (rc < 0) {
		return err_sys(-rc, "read %s", path);
	}
	if (rc < 0)
		return rc;
	add_wanted(job, &wanted);
	if (!kconfig_has_all(str_get(&config), str_get(&wanted))) {
		rc = append_fragment(path, &config, &wanted);
		rc = rc ?: MAKE(job, HELPER_TIMEOUT_NS, "olddefconfig");
		str_reset(&config);
		rc = rc ?: file_read(path, &config);
	}
	/* Check before compiling, which may take half an hour. */
	return rc < 0 ? rc : err_wrap(kconfig_check(str_get(&config)), "%s", job->tree);
}

/* Flags must always be the same: otherwise the kernel's make compiles everything again. */
static int run_compiler(const struct make_job *job, uint64_t timeout_ns, const char *target)
{
	_free_ char *jobs = str_fmt("-j%zu", job->cpus);

	if (!jobs)
		return err_no_memory();
	return MAKE(job, timeout_ns, jobs, "KCFLAGS=-Wno-error", target);
}

int make_compile(const struct make_job *job)
{
	return run_compiler(job, 0, NULL);
}

void make_compile_commands(const struct make_job *job)
{
	int rc = run_compiler(job, HELPER_TIMEOUT_NS, "compile_commands.json");

	if (rc < 0)
		log_warn("kernel", "%s", err_text(rc));
}

int make_parse_pahole(const char *text)
{
	uint64_t major, minor;

	if (*text == 'v')
		text++;
	if (parse_digits(&text, &major) < 0 || *text++ != '.' || parse_digits(&text, &minor) < 0 ||
	    major > 99 || minor > 99)
		return -1;
	return (int)(major * 100 + minor);
}

int make_check_tools(const struct source_tree *tree)
{
	static const char *const argv[] = { "pahole", "--version", NULL };
	_str_ struct str out = {};
	int rc, version;

	if (!tree->has_version || tree->version.major < 7)
		return 0;
	rc = command_run(&(struct command){ .argv = argv, .timeout_ns = 20 * NSEC_PER_SEC }, &out);
	version = rc == 0 ? make_parse_pahole(str_get(&out)) : -1;
	if (version >= PAHOLE_FOR_7_0)
		return 0;
	str_trim_end(&out);
	return err_set(ENOTSUP,
		       "Linux %llu.%llu needs pahole 1.26 or newer to build (package dwarves or "
		       "pahole), and here is %s; `kernel fetch` gets one ready-made",
		       ULL(tree->version.major), ULL(tree->version.minor),
		       rc == 0 ? str_get(&out) : "none");
}
