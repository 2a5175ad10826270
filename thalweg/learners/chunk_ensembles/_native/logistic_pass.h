/* Passes over the rows of a logistic regression on what members say, eight rows at a time, with the widest vectors
   the machine has: best_passes() chooses. No multiplication is fused with an addition, and sums run over the same
   eight lanes, so that every width gives the same numbers. */

#ifndef THALWEG_LOGISTIC_PASS_H
#define THALWEG_LOGISTIC_PASS_H

#include <stddef.h>
#include <stdint.h>

enum { ROW_LANES = 8, TILES_TOGETHER = 4 };

typedef struct {
    ptrdiff_t n_tiles;
    ptrdiff_t n_members;
    ptrdiff_t n_others;         /* classes but one */
    const double *tiles;        /* [tile, other, member, ROW_LANES]: how far ahead of each other class the label is */
    const double *active;       /* [row]: its weight, 0 for an outlier */
    const double *weights;      /* [member] */
    double *likelihood;         /* [row]: the logarithm of the label's probability */
    double *shares;             /* [tile, other, ROW_LANES]: the probabilities of the other classes */
    double *memory;             /* [n(n + 1)/2 + 2n + 2 others, ROW_LANES] for n members */
    double *gradient;           /* [member]: sums are added to these */
    double *hessian;            /* [member, member]: the same, lower triangle */
} pass_t;

typedef struct {
    void (*predict)(const pass_t *p);   /* write the likelihoods and the shares of the weights */
    void (*add)(const pass_t *p);       /* add to the gradient and the Hessian, by the shares and the active rows */
} passes_t;

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

static passes_t best_passes(void)
{
    passes_t plain = {predict_rows_plain, add_rows_plain};
#if defined(__x86_64__) && defined(__GNUC__)
    passes_t avx2 = {predict_rows_avx2, add_rows_avx2}, avx512 = {predict_rows_avx512, add_rows_avx512};
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return avx512;
    if (__builtin_cpu_supports("avx2"))
        return avx2;
#endif
    return plain;
}

#endif
