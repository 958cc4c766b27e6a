// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr kernel build`: compiles, even if the archive has an image. */
#include "cli/table.h"
#include "kernel/build.h"
#include "kernel/cache.h"
#include "kernel/distro.h"
#include "kernel/ident.h"

/* Options that name a source are mutually exclusive. */
static int check_sources(const struct cli_call *call)
{
	static const char *const names[] = { "release", "source", "git", "kernel" };
	static const char *const labels[] = { "VERSION", "--source", "--git", "--kernel" };
	const char *first = NULL;

	for (size_t i = 0; i < 4; i++) {
		if (!cli_is_given(call, names[i]))
			continue;
		if (first)
			return cli_usage_error(call, "%s and %s exclude each other", first,
					       labels[i]);
		first = labels[i];
	}
	return 0;
}

static int parse_source(const struct cli_call *call, struct kernel_id *id)
{
	const char *text = cli_text(call, "release");
	_free_ char *git = NULL;
	int rc;

	if (cli_text(call, "source")) {
		*id = (struct kernel_id){ .kind = KERNEL_ID_PATH,
					  .text = strdup(cli_text(call, "source")) };
		return id->text ? 0 : err_no_memory();
	}
	if (cli_text(call, "git")) {
		git = str_fmt("git+%s#%s", cli_text(call, "git"), cli_text(call, "ref"));
		return git ? kernel_id_parse(git, id) : err_no_memory();
	}
	rc = kernel_id_parse(text ? text : cli_text(call, "kernel"), id);
	if (rc == 0 && text && id->kind != KERNEL_ID_VERSION)
		rc = err_set(EINVAL,
			     "'%s' is not a version; --kernel takes other sources than releases",
			     text);
	return rc;
}

static int build_latest(const char *root, const struct kernel_build_opts *opts,
			struct kernel_image *out)
{
	const struct kernel_releases *releases;
	struct kernel_version version;
	int rc = kernel_releases_get(&releases) ?: kernel_releases_latest(releases, &version);

	if (rc < 0)
		return err_set(-rc,
			       "the latest stable kernel is not known: %s; name a version, or "
			       "use `kernel fetch`",
			       err_text(rc));
	return kernel_build_version(root, &version, opts, out);
}

/* If kernel.org is unavailable, lists what is available without it. */
static int build_version(const char *root, const struct kernel_version *version,
			 const struct kernel_build_opts *opts, struct kernel_image *out)
{
	int rc = kernel_build_version(root, version, opts, out);

	return rc == -ENETUNREACH ? kernel_err_nearest(rc, root, opts->label, version, false) : rc;
}

static int build(const struct cli_call *call, const char *root,
		 const struct kernel_build_opts *opts, struct kernel_image *out)
{
	_kernel_id_ struct kernel_id id = {};
	int rc;

	if (!cli_is_given(call, "release") && !cli_is_given(call, "source") &&
	    !cli_is_given(call, "git") && !cli_is_given(call, "kernel"))
		return build_latest(root, opts, out);
	rc = parse_source(call, &id);
	if (rc < 0)
		return rc;
	if (opts->clean && id.kind != KERNEL_ID_PATH)
		return err_set(EINVAL, "--clean is for source trees; what is downloaded is clean");
	switch (id.kind) {
	case KERNEL_ID_PATH:
		return kernel_build_tree(root, id.text, opts, out);
	case KERNEL_ID_GIT:
		return kernel_build_git(root, &id, opts, out);
	case KERNEL_ID_VERSION:
		return build_version(root, &id.version, opts, out);
	default:
		return err_set(EINVAL,
			       "'%s' names no source that could be built: give a version, a "
			       "source tree or git+URL#REF",
			       id.text);
	}
}

static int cmd_kernel_build_run(const struct cli_call *call)
{
	struct kernel_build_opts opts = {
		.label = call->program,
		.extra_kconfig = cli_text(call, "extra-kconfig"),
		.force = cli_flag(call, "force"),
		.clean = cli_flag(call, "clean"),
		.skip_sha256 = cli_flag(call, "skip-sha256"),
		.is_verbose = cli_flag(call, "verbose"),
	};
	_kernel_image_ struct kernel_image image = {};
	_free_ char *root = NULL;
	int rc = check_sources(call);

	rc = rc ?: build_cpus_parse_cap(cli_text(call, "cpu-cap"), &opts.cpu_cap);
	rc = rc ?: cache_root(&root);
	interrupt_install();
	rc = rc ?: build(call, root, &opts, &image);
	if (rc != 0)
		return rc == -EINTR ? EXIT_INTERRUPTED : rc;
	printf("%s\n", image.image);
	return 0;
}

/* clang-format off */
#define KERNEL_ID_HELP \
	"version (6.14.2), series (6.14), source tree (./linux), git+URL#REF or cache key"

const struct cli_cmd cmd_kernel_build = {
	.name = "build", .summary = "compile a kernel and cache it",
	.about = "Gets the source, configures it with the options that tests need, compiles it "
		 "on a part of the CPUs and adds the image to the cache. A source tree is cached "
		 "only if it is a clean git checkout, because only then its commit identifies it.",
	.params = CLI_PARAMS(
		{ .name = "release", .is_arg = true, .kind = CLI_STRING, .value = "VERSION",
		  .help = "version or series to build [default: the latest stable]" },
		{ .name = "source", .kind = CLI_DIR, .value = "PATH", .excludes = "git",
		  .help = "build this source tree" },
		{ .name = "git", .kind = CLI_STRING, .value = "URL", .needs = "ref",
		  .help = "build a git repository" },
		{ .name = "ref", .kind = CLI_STRING, .value = "REF", .needs = "git",
		  .help = "branch, tag or commit to build" },
		{ .name = "kernel", .kind = CLI_STRING, .value = "ID",
		  .help = "the same in one word: " KERNEL_ID_HELP },
		{ .name = "force", .help = "build even if it is cached" },
		{ .name = "clean", .help = "make mrproper first; source trees only" },
		{ .name = "cpu-cap", .kind = CLI_STRING, .value = "N",
		  .help = "use this many CPUs [default: 30 % of those allowed]" },
		{ .name = "extra-kconfig", .kind = CLI_FILE, .value = "PATH",
		  .help = "file with more configuration, appended to ktstr's own" },
		{ .name = "skip-sha256", .help = "do not check the download" }),
	.examples = CLI_EXAMPLES(
		{ "kernel build 6.14.2", "compile a release of kernel.org" },
		{ "kernel build --source ./linux", "compile a source tree" },
		{ "kernel build --git https://example.org/linux.git --ref for-next",
		  "compile the tip of a branch" }),
	.holds_resources = true,
	.run = cmd_kernel_build_run,
};
/* clang-format on */
