/* A pass over the rows of a logistic regression for two classes, eight rows at a time, with the widest vectors the
   machine has: best_pass() chooses. No multiplication is fused with an addition, and sums run over the same eight
   lanes, so that every width gives the same numbers. */

#ifndef THALWEG_LOGISTIC_PASS_H
#define THALWEG_LOGISTIC_PASS_H

#include <stddef.h>
#include <stdint.h>

enum { ROW_LANES = 8, TILES_TOGETHER = 4 };

typedef struct {
    ptrdiff_t n_tiles;
    ptrdiff_t n_members;
    const double *tiles;        /* [tile, member, ROW_LANES]: how far ahead the label is */
    const double *active;       /* [row]: its weight, 0 for an outlier */
    const double *weights;      /* [member] */
    double *likelihood;         /* [row]: the logarithm of the label's probability */
    double *sums;               /* [n + n(n + 1)/2, ROW_LANES]: memory */
    double *gradient;           /* [member]: the sums are added to these */
    double *hessian;            /* [member, member]: the same, lower triangle; NULL if it is not wanted */
} pass_t;

typedef double (*pass_f)(const pass_t *p);

#define NAMED(name) name##_plain
#define TARGET
#define WIDTH 16
#include "logistic_pass_body.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define NAMED(name) name##_avx2
#define TARGET __attribute__((target("avx2")))
#define WIDTH 32
#include "logistic_pass_body.h"

#define NAMED(name) name##_avx512
#define TARGET __attribute__((target("avx512f,avx512dq")))
#define WIDTH 64
#include "logistic_pass_body.h"
#endif

static pass_f best_pass(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return logistic_pass_avx512;
    if (__builtin_cpu_supports("avx2"))
        return logistic_pass_avx2;
#endif
    return logistic_pass_plain;
}

#endif
