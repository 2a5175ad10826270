/* What a row is to several logistic filters side by side: formulas (1), (3) and (4) of adaptive_logistic.pyx, with the
   widest vectors the machine has: best_logit() chooses. No multiplication is fused with an addition, so that every
   width gives the same numbers. */

#ifndef THALWEG_LOGIT_LANES_H
#define THALWEG_LOGIT_LANES_H

#include <stddef.h>
#include <stdint.h>

enum { MOST_ROUNDS = 60 };

typedef struct {
    ptrdiff_t n;                /* lanes, at least 2 */
    int several;                /* classes have a filter each: z is log q/(1 - q) */
    int tuned;
    double weight;              /* of the row */
    double bandwidth;
    double steepest;            /* bound of |z| */
    double *sign;               /* 1 if the row is of the lane's class, else -1 */
    const double *z;
    const double *q;
    const double *size;         /* x'R x */
    const double *least;
    double *decay;              /* read; written if forgetting is tuned. All below are written. */
    double *past;
    double *up;                 /* 1/past */
    double *e;
    double *a;                  /* at the peak */
    double *moved;              /* e at the peak */
} logit_lanes_t;

typedef struct {
    void (*exponentials)(double *x, ptrdiff_t n);               /* x <- exp(x), of x up to 0 */
    void (*logistics)(const double *z, double *q, ptrdiff_t n);
    void (*step)(const logit_lanes_t *s);
} logit_t;

#define VECTOR_BODY "thalweg/learners/logistic/_native/logit_lanes_body.h"
#include "thalweg/_native/vectors.h"

static logit_t best_logit(ptrdiff_t n)
{
    logit_t few = {exponentials_plain, logistics_plain, step_plain};
    logit_t many = {WIDEST(exponentials), WIDEST(logistics), WIDEST(step)};
    return n < 4 ? few : many;
}

#endif
