/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Integer types, byte order, unaligned loads and atomics for code that is
 * compiled twice: by clang for BPF and by the host compiler for the capture
 * reader, the unit tests and the fuzzers.
 *
 * This is the only header of the project that asks which side it is on.
 */
#ifndef RCT_TYPES_H
#define RCT_TYPES_H

#ifdef __bpf__

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define RCT_INLINE static inline __attribute__((always_inline))

/* x86-64 and arm64 BPF allow unaligned loads from packets and map values. */
RCT_INLINE u16 rct_ld16(const void *p) { return *(const u16 *)p; }
RCT_INLINE u32 rct_ld32(const void *p) { return *(const u32 *)p; }
RCT_INLINE u64 rct_ld64(const void *p) { return *(const u64 *)p; }

/* Several CPUs step one flow. Each of these is one BPF atomic instruction. */
#define RCT_ADD(p, v)		((void)__sync_fetch_and_add(p, v))
#define RCT_OR(p, v)		__sync_fetch_and_or(p, v)
#define RCT_XCHG(p, v)		__sync_lock_test_and_set(p, v)
#define RCT_CAS(p, old, new)	__sync_val_compare_and_swap(p, old, new)
#define RCT_READ(x)		(*(volatile typeof(x) *)&(x))

/*
 * Hides a value's history from the compiler, which would otherwise drop a
 * bound check that it can prove and the verifier cannot.
 */
#define RCT_OPAQUE(x)		asm volatile("" : "+r"(x))

/* A direct member by this very type: Linux 6.1 finds no lock behind a typedef or in a member. */
#define RCT_LOCK_TYPE		struct bpf_spin_lock
#define RCT_LOCK(p)		bpf_spin_lock(p)
#define RCT_UNLOCK(p)		bpf_spin_unlock(p)

#else /* the host: one thread steps its own table */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int32_t s32;
typedef int64_t s64;

#define RCT_INLINE static inline __attribute__((always_inline, unused))

RCT_INLINE u16 rct_ld16(const void *p) { u16 v; memcpy(&v, p, sizeof(v)); return v; }
RCT_INLINE u32 rct_ld32(const void *p) { u32 v; memcpy(&v, p, sizeof(v)); return v; }
RCT_INLINE u64 rct_ld64(const void *p) { u64 v; memcpy(&v, p, sizeof(v)); return v; }

#define RCT_ADD(p, v)		((void)(*(p) += (v)))
#define RCT_OR(p, v)		({ typeof(*(p)) _o = *(p); *(p) |= (v); _o; })
#define RCT_XCHG(p, v)		({ typeof(*(p)) _o = *(p); *(p) = (v); _o; })
#define RCT_CAS(p, old, new)						\
	({ typeof(*(p)) _o = *(p); if (_o == (old)) *(p) = (new); _o; })
#define RCT_READ(x)		(x)
#define RCT_OPAQUE(x)		((void)0)

struct rct_lock { u32 val; };
#define RCT_LOCK_TYPE		struct rct_lock
#define RCT_LOCK(p)		((void)(p))
#define RCT_UNLOCK(p)		((void)(p))

#endif

/* Both targets of the project are little-endian; checked below. */
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "rocetrace is written for little-endian hosts (x86-64, arm64)"
#endif
#define RCT_NTOH16(x)	((u16)__builtin_bswap16(x))
#define RCT_NTOH32(x)	((u32)__builtin_bswap32(x))
#define RCT_NTOH64(x)	((u64)__builtin_bswap64(x))

/* Big-endian (network order) loads that return host order. */
RCT_INLINE u16 rct_be16(const void *p) { return RCT_NTOH16(rct_ld16(p)); }
RCT_INLINE u32 rct_be32(const void *p) { return RCT_NTOH32(rct_ld32(p)); }
RCT_INLINE u32 rct_be24(const void *p)
{
	const u8 *b = p;

	return (u32)b[0] << 16 | (u32)b[1] << 8 | b[2];
}

#endif
