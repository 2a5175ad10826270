/* Functions for several widths of vectors. A header that defines VECTOR_BODY and then includes this one gets the
   functions of that file three times, as NAMED(name) with vectors of WIDTH bytes: for any machine, with AVX2 and with
   AVX-512, or once where there is no such machine. WIDEST(name) is the one for this machine. FUSED may be defined as
   ",fma": then a multiplication and an addition may become one instruction, and the widths differ by rounding. */

#ifndef THALWEG_VECTORS_H
#define THALWEG_VECTORS_H

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define HAS_WIDE_VECTORS 1
#define WIDEST(name) (vector_width() == 64 ? name##_avx512 : vector_width() == 32 ? name##_avx2 : name##_plain)
#else
#define HAS_WIDE_VECTORS 0
#define WIDEST(name) name##_plain
#endif

/* Bytes of the widest vectors that this machine has: 64 with AVX-512, 32 with AVX2, else 16. */
static inline int vector_width(void)
{
#if HAS_WIDE_VECTORS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return 64;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return 32;
#endif
    return 16;
}
#endif

#ifdef VECTOR_BODY
#ifndef FUSED
#define FUSED ""
#endif

#define NAMED(name) name##_plain
#define TARGET
#define WIDTH 16
#include VECTOR_BODY

#if HAS_WIDE_VECTORS
#define NAMED(name) name##_avx2
#define TARGET __attribute__((target("avx2" FUSED)))
#define WIDTH 32
#include VECTOR_BODY

#define NAMED(name) name##_avx512
#define TARGET __attribute__((target("avx512f,avx512dq" FUSED)))
#define WIDTH 64
#include VECTOR_BODY
#endif

#undef VECTOR_BODY
#undef FUSED
#endif
