// SPDX-License-Identifier: GPL-2.0-only
/* Copies BTF from a guest. */
#include "watch/parts.h"

int guest_types_read(struct guest_types *t, struct space *space, uint64_t address, size_t *left)
{
	uint64_t data, size;

	*t = (struct guest_types){ .address = address };
	if (!space_read_member(space, address, M_BTF_DATA, &data) ||
	    !space_read_member(space, address, M_BTF_DATA_SIZE, &size) || !size || size > *left)
		return 0;
	*left -= size;
	t->data = malloc(size);
	if (!t->data)
		return err_no_memory();
	if (space_read(space, data, t->data, size) && btf_open(&t->btf, t->data, size) == 0)
		return 0;
	err_clear();
	free(t->data);
	*t = (struct guest_types){ .address = address };
	return 0;
}

void guest_types_finish(struct guest_types *t)
{
	btf_close(&t->btf);
	free(t->data);
	*t = (struct guest_types){};
}
