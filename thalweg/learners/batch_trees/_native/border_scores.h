/* The best border between two rows of a node, with the widest vectors the machine has: best_search() chooses. */

#ifndef THALWEG_BORDER_SCORES_H
#define THALWEG_BORDER_SCORES_H

#include <stddef.h>

enum { BORDERS_AT_ONCE = 16 };

/* With `left[i]` rows of a class left of border i and `total` in all: the largest left^2 inverse + right^2 reversed
   over n borders, a multiple of BORDERS_AT_ONCE. */
typedef float (*border_f)(const int *left, const float *inverse, const float *reversed, ptrdiff_t n, float total);

#define NAMED(name) name##_plain
#define TARGET
#define WIDTH 16
#include "border_scores_body.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define NAMED(name) name##_avx2
#define TARGET __attribute__((target("avx2")))
#define WIDTH 32
#include "border_scores_body.h"

#define NAMED(name) name##_avx512
#define TARGET __attribute__((target("avx512f,avx512dq")))
#define WIDTH 64
#include "border_scores_body.h"
#endif

static border_f best_search(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return best_border_avx512;
    if (__builtin_cpu_supports("avx2"))
        return best_border_avx2;
#endif
    return best_border_plain;
}

#endif
