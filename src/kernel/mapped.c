// SPDX-License-Identifier: GPL-2.0-only
/* Mapping files. */
#include "kernel/mapped.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/err.h"

int mapped_open(struct mapped *m, const char *path)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *data;

	*m = (struct mapped){};
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(errno, "open %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(EINVAL, "%s is not a regular file", path);
	if (st.st_size == 0)
		return err_set(ENODATA, "%s is empty", path);
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return err_sys(errno, "read %s", path);
	*m = (struct mapped){ .data = data, .size = (size_t)st.st_size };
	return 0;
}

void mapped_finish(struct mapped *m)
{
	if (m->data)
		munmap(m->data, m->size);
	*m = (struct mapped){};
}
