/* Distances of one row from all rows of a window, with the widest vectors the machine has: best_measure()
   chooses. No multiplication is fused with an addition, so every width gives the same numbers. */

#ifndef THALWEG_WINDOW_DISTANCE_H
#define THALWEG_WINDOW_DISTANCE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { WINDOW_TILE = 16 };

typedef struct {
    ptrdiff_t n_features;
    ptrdiff_t n_rows;
    ptrdiff_t n_used;           /* inputs that count here */
    const double *tiles;        /* [tile, input, WINDOW_TILE] */
    const ptrdiff_t *used;      /* [n_used]: which they are */
    const double *value;        /* [n_used]: the row's values in them */
    const double *inverse;      /* [n_used]: 1/range */
} window_view_t;

typedef void (*measure_t)(const window_view_t *w, int begun, double *distance, double *least);

#define VECTOR_BODY "thalweg/learners/neighbours/_native/window_distance_body.h"
#include "thalweg/_native/vectors.h"

static measure_t best_measure(void)
{
    return WIDEST(measure);
}

#endif
