/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The declarations of QEMU's plugin API that are used here, in versions 4 (QEMU 9.2) to 7 (QEMU
 * 11.1). QEMU resolves them when it loads the plugin; no package ships its header.
 */
#ifndef KTSTR_TRACE_QEMU_PLUGIN_H
#define KTSTR_TRACE_QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define QEMU_PLUGIN_FIRST_API 4
#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_register;

/* GLib's growable arrays, as far as their members are accessed. */
typedef struct {
	uint8_t *data;
	unsigned int len;
} GByteArray;

typedef struct {
	char *data;
	unsigned int len;
} GArray;

struct qemu_plugin_reg_descriptor {
	struct qemu_plugin_register *handle;
	const char *name;
	const char *feature;
	/* Later versions have more members. */
};

enum { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS };
enum { QEMU_PLUGIN_MEM_W = 2, QEMU_PLUGIN_MEM_RW = 3 };

GByteArray *g_byte_array_new(void);
char *g_array_free(GArray *array, int free_segment);
unsigned int g_array_get_element_size(GArray *array);

static inline struct qemu_plugin_reg_descriptor *qemu_plugin_nth_register(GArray *all, size_t n)
{
	return (struct qemu_plugin_reg_descriptor *)(void *)(all->data +
							     n * g_array_get_element_size(all));
}

/*
 * Up to version 6 these callbacks get the plugin's ID and then their subject; from 7 on the subject
 * and then user data. Before version 7 registration has no user data argument and ignores it.
 */
typedef void (*qemu_plugin_callback)(void);
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_callback cb, void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_callback cb,
					   void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_callback cb, void *data);

struct qemu_plugin_info {
	const char *target;
	struct {
		int min, cur;
	} version;
};

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*cb)(unsigned int vcpu, void *data), int flags,
					    void *data);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  void (*cb)(unsigned int vcpu, void *data), int flags,
					  void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      void (*cb)(unsigned int vcpu, uint32_t info, uint64_t address,
						 void *data),
				      int flags, int access, void *data);
unsigned int qemu_plugin_mem_size_shift(uint32_t info);
bool qemu_plugin_mem_is_store(uint32_t info);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t len);
GArray *qemu_plugin_get_registers(void);
/*
 * Returns a number up to version 5, then a bool; ignored, because in all versions buf grows on
 * success.
 */
void qemu_plugin_read_register(struct qemu_plugin_register *handle, GByteArray *buf);

/* Handles are opaque: in 11.0 that of rax is NULL. */
struct plugin_register {
	struct qemu_plugin_register *handle;
	bool is_known;
};

/* Value of a register, read through an empty array; 0 = unknown. */
static inline uint64_t plugin_register_value(const struct plugin_register *r, GByteArray *bytes)
{
	uint64_t value = 0;

	if (r->is_known)
		qemu_plugin_read_register(r->handle, bytes);
	if (bytes->len)
		memcpy(&value, bytes->data,
		       bytes->len < sizeof(value) ? bytes->len : sizeof(value));
	return value;
}

bool qemu_plugin_read_memory_vaddr(uint64_t addr, GByteArray *data, size_t len);

/* Symbols that QEMU looks up in a plugin. */
QEMU_PLUGIN_EXPORT extern int qemu_plugin_version;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_plugin_info *info,
					   int argc, char **argv);

#endif
