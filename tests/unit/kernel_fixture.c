// SPDX-License-Identifier: GPL-2.0-only
/* Making files for the kernel tests. */
#include "kernel_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/tree.h"
#include "kernel/build.h"

static char directory[64];

int kernel_fixture_setup(void **state)
{
	static const char *const unset[] = { "KTSTR_KERNEL",	  "KTSTR_TEST_KERNEL",
					     "KTSTR_KERNEL_LIST", "XDG_CACHE_HOME",
					     "KTSTR_CPU_CAP",	  "KTSTR_BYPASS_LLC_LOCKS" };
	static const char *const addresses[] = { "KTSTR_KERNEL_ORG_URL", "KTSTR_CDN_URL",
						 "KTSTR_GIT_KERNEL_URL", "KTSTR_DEBIAN_URL" };

	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/ktstr-unit-XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	for (size_t i = 0; i < sizeof(unset) / sizeof(unset[0]); i++)
		unsetenv(unset[i]);
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		setenv(addresses[i], "http://127.0.0.1:1", 1);
	setenv("KTSTR_CACHE_DIR", fixture_path("cache"), 1);
	setenv("KTSTR_INSTALLED_ROOT", fixture_path("installed"), 1);
	return 0;
}

int kernel_fixture_teardown(void **state)
{
	(void)state;
	return tree_remove(directory);
}

const char *fixture_path(const char *fmt, ...)
{
	static char paths[8][512];
	static unsigned int next;
	char *path = paths[next++ % 8];
	char name[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	snprintf(path, sizeof(paths[0]), "%s/%s", directory, name);
	return path;
}

void fixture_write(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

void fixture_mkdir(const char *path)
{
	char command[600];

	snprintf(command, sizeof(command), "mkdir -p '%s'", path);
	assert_int_equal(system(command), 0);
}

void fixture_image(const char *options_and_path, ...)
{
	const char *source = getenv("SRCDIR");
	char options[600], command[1200];
	va_list ap;

	va_start(ap, options_and_path);
	vsnprintf(options, sizeof(options), options_and_path, ap);
	va_end(ap);
	snprintf(command, sizeof(command), "%s/tests/tools/kernel-image %s", source ? source : ".",
		 options);
	assert_int_equal(system(command), 0);
}

char *fixture_metadata(const char *version, const char *built_at, const char *more)
{
	char *text =
		str_fmt("{\"version\": \"%s\", \"source\": {\"type\": \"tarball\"}, \"arch\": "
			"\"x86_64\", \"image_name\": \"bzImage\", \"config_hash\": null, "
			"\"built_at\": \"%s\", \"ktstr_kconfig_hash\": \"%s\", \"has_vmlinux\": "
			"false, \"vmlinux_stripped\": false%s}",
			version, built_at, kconfig_hash(), more);

	assert_non_null(text);
	return text;
}

void fixture_entry(const char *key, const char *metadata, const char *image_options)
{
	fixture_mkdir(fixture_path("cache/%s", key));
	fixture_write(fixture_path("cache/%s/metadata.json", key), metadata);
	fixture_image("%s %s", image_options, fixture_path("cache/%s/bzImage", key));
}
