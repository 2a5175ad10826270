/* Sweeps over the vectors and matrices of sweeps.pxd for two lanes and more, with the widest vectors the machine has:
   best_sweeps() chooses. No multiplication is fused with an addition, and every lane adds up in the order of its
   entries, so that every width gives the same numbers. */

#ifndef THALWEG_LANE_SWEEPS_H
#define THALWEG_LANE_SWEEPS_H

#include <stddef.h>

/* d entries of n lanes; matrices are packed by rows */
typedef struct {
    /* out = a'x */
    void (*dots)(const double *a, const double *x, double *out, ptrdiff_t d, ptrdiff_t n);
    /* out = A x */
    void (*times)(const double *A, const double *x, double *out, ptrdiff_t d, ptrdiff_t n);
    /* a <- factor a */
    void (*scale)(double *a, const double *factor, ptrdiff_t d, ptrdiff_t n);
    /* a <- a + factor b, and the entries of a are added to total */
    void (*move)(double *a, const double *b, const double *factor, double *total, ptrdiff_t d, ptrdiff_t n);
    /* out = column i of up (A - g g') */
    void (*column)(const double *A, const double *g, const double *up, double *out, ptrdiff_t i, ptrdiff_t d,
                   ptrdiff_t n);
    /* A <- up (A - g g') - h h' */
    void (*discount)(double *A, const double *g, const double *h, const double *up, ptrdiff_t d, ptrdiff_t n);
} sweeps_t;

#define VECTOR_BODY "thalweg/learners/logistic/_native/lane_sweeps_body.h"
#include "thalweg/_native/vectors.h"

#define SWEEPS(name) {name(dots), name(times), name(scale), name(move), name(column), name(discount)}
#define OF_PLAIN(name) name##_plain

static sweeps_t best_sweeps(ptrdiff_t n)
{
    sweeps_t few = SWEEPS(OF_PLAIN), many = SWEEPS(WIDEST);
    return n < 4 ? few : many;
}

#undef SWEEPS
#undef OF_PLAIN
#endif
