/* The best border between two rows of a node, with the widest vectors the machine has: best_search() chooses. */

#ifndef THALWEG_BORDER_SCORES_H
#define THALWEG_BORDER_SCORES_H

#include <stddef.h>

enum { BORDERS_AT_ONCE = 16 };

/* With `left[i]` rows of a class left of border i and `total` in all: the largest left^2 inverse + right^2 reversed
   over n borders, a multiple of BORDERS_AT_ONCE. */
typedef float (*border_f)(const int *left, const float *inverse, const float *reversed, ptrdiff_t n, float total);

#define VECTOR_BODY "thalweg/learners/batch_trees/_native/border_scores_body.h"
#include "thalweg/_native/vectors.h"

static border_f best_search(void)
{
    return WIDEST(best_border);
}

#endif
