/* SPDX-License-Identifier: GPL-2.0-only */
/* Types of all BPF programs here, which cannot include headers of user space. */
#ifndef KTSTR_BPF_TYPES_H
#define KTSTR_BPF_TYPES_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;
typedef _Bool bool;

/* libbpf's headers use these names of user space. */
typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u64 __u64;
typedef s32 __s32;
typedef s64 __s64;
typedef u16 __be16;
typedef u32 __be32;
typedef u32 __wsum;

#define true 1
#define false 0
#define NULL ((void *)0)

enum bpf_map_type { BPF_MAP_TYPE_ARRAY = 2, BPF_MAP_TYPE_TASK_STORAGE = 29 };

/* For structs whose fields libbpf relocates for the running kernel. */
#define FROM_KERNEL __attribute__((preserve_access_index))

#endif
