// SPDX-License-Identifier: GPL-2.0-only
/* Maps files. */
#include "base/map_file.h"

#include <sys/mman.h>

#include "base/base.h"

/* O_NONBLOCK: opening a FIFO must not block; it is rejected afterwards. */
int map_file_open(struct map_file *m, const char *path)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	void *data;

	*m = (struct map_file){};
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	m->mode = st.st_mode;
	if (st.st_size == 0)
		return 0;
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return -errno;
	m->data = data;
	m->size = (size_t)st.st_size;
	return 0;
}

int map_file_open_whole(struct map_file *m, const char *path)
{
	int rc = map_file_open(m, path);

	if (rc == -EINVAL || rc == -EISDIR)
		return err_set(EINVAL, "%s is not a regular file", path);
	if (rc < 0)
		return err_sys(-rc, "open %s", path);
	return m->size ? 0 : err_set(ENODATA, "%s is empty", path);
}

void map_file_finish(struct map_file *m)
{
	if (m->data)
		munmap((void *)m->data, m->size);
	*m = (struct map_file){};
}
