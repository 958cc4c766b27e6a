// SPDX-License-Identifier: GPL-2.0-only
/* Kernel images as files. */
#include "base/hash.h"
#include "kernel/parts.h"

const char *image_below_tree(void)
{
	return str_eq(cache_arch(), "aarch64") ? "arch/arm64/boot/Image" : "arch/x86/boot/bzImage";
}

/* Root of the tree that contains .../arch/ARCH/boot/IMAGE, or NULL. */
static char *tree_of(const char *path)
{
	const char *tail = image_below_tree();
	size_t len = strlen(path), tail_len = strlen(tail);

	if (len <= tail_len + 1 || !str_eq(path + len - tail_len, tail))
		return NULL;
	return strndup(path, len - tail_len - 1);
}

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* Uses a vmlinux only if it is valid; takes over path. */
static void take_vmlinux(struct kernel_image *out, char *path)
{
	struct vmlinux_facts facts;

	if (!path || vmlinux_look_file(path, &facts) < 0) {
		free(path);
		err_clear();
		return;
	}
	out->vmlinux = path;
	out->vmlinux_is_bootable = true;
	out->has_scx = facts.has_scx;
	out->btf = facts.btf;
	out->unsound_kfuncs = facts.unsound_kfuncs;
}

static bool take_config_file(struct kernel_image *out, char *path)
{
	if (path && access(path, R_OK) == 0)
		out->config = path;
	else
		free(path);
	return out->config;
}

/* .config in a tree, config next to a vmlinuz in /lib/modules, config-RELEASE in /boot. */
static void take_config(struct kernel_image *out, const char *directory)
{
	const char *name = basename(out->image);

	if (take_config_file(out, str_fmt("%s/.config", directory)))
		return;
	if (str_eq(name, "vmlinuz"))
		take_config_file(out, str_fmt("%s/config", directory));
	else if (str_starts(name, "vmlinuz-"))
		take_config_file(out,
				 str_fmt("%s/config-%s", directory, name + strlen("vmlinuz-")));
}

int image_from_file(const char *path, struct kernel_image *out)
{
	_free_ char *directory = directory_of(path);
	struct bzimage header;
	int rc = bzimage_check_file(path, &header);

	*out = (struct kernel_image){};
	if (rc < 0)
		return rc;
	if (!str_eq(header.arch, cache_arch()))
		return err_set(EINVAL, "%s: a kernel for %s, and guests here are %s", path,
			       header.arch, cache_arch());
	out->image = strdup(path);
	if (!out->image || !directory)
		return err_no_memory();
	out->release = header.release[0] ? strdup(header.release) : NULL;
	out->source_tree = tree_of(path);
	take_vmlinux(out, str_fmt("%s/vmlinux", out->source_tree ? out->source_tree : directory));
	take_config(out, out->source_tree ? out->source_tree : directory);
	return 0;
}

/* Concurrent writers write the same contents. */
static int unpack_to(const char *image, const char *cache, const char *path)
{
	_free_ char *temporary = str_fmt("%s.tmp-%d", path, (int)getpid());
	int rc = temporary ? file_make_dirs(cache, 0755) : err_no_memory();

	rc = rc ?: bzimage_extract(image, temporary);
	if (rc == 0 && rename(temporary, path) < 0)
		rc = err_sys(errno, "rename %s", temporary);
	if (rc < 0 && temporary)
		unlink(temporary);
	return rc;
}

void image_unpack(struct kernel_image *k)
{
	_free_ char *cache = path_cache_part(KERNEL_VMLINUX_PART);
	char hash[SHA256_HEX_SIZE], *path;
	int rc = 0;

	if (!cache || file_hash(k->image, hash) < 0) {
		err_clear();
		return;
	}
	path = str_fmt("%s/%s", cache, hash);
	if (path && access(path, R_OK) < 0)
		rc = unpack_to(k->image, cache, path);
	if (rc < 0)
		log_debug("kernel", "%s has no vmlinux: %s", k->image, err_text(rc));
	err_clear();
	take_vmlinux(k, path);
}

int image_in_tree(const char *tree, struct kernel_image *out)
{
	_free_ char *built = str_fmt("%s/%s", tree, image_below_tree());
	_free_ char *beside = str_fmt("%s/%s", tree, cache_image_name());

	*out = (struct kernel_image){};
	if (!built || !beside)
		return err_no_memory();
	if (access(built, F_OK) == 0)
		return image_from_file(built, out);
	if (access(beside, F_OK) == 0)
		return image_from_file(beside, out);
	return err_set(ENOENT, "no kernel image in %s: neither %s nor %s is there", tree,
		       image_below_tree(), cache_image_name());
}
