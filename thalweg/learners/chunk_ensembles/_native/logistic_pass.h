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

#define VECTOR_BODY "thalweg/learners/chunk_ensembles/_native/logistic_pass_body.h"
#include "thalweg/_native/vectors.h"

static passes_t best_passes(void)
{
    passes_t passes = {WIDEST(predict_rows), WIDEST(add_rows)};
    return passes;
}

#endif
