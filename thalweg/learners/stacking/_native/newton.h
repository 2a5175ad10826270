/* Newton steps of a logistic regression of few inputs, with the widest vectors the machine has. Rows of the matrix are
   LANES apart times a whole number and filled up with zeros. No multiplication is fused with an addition, and an entry
   and its mirror image are computed alike: every width gives the same numbers, and the matrix stays symmetric to the
   last bit. What rounding makes unsymmetric would grow as the matrix is faded. */

#ifndef THALWEG_NEWTON_H
#define THALWEG_NEWTON_H

#include <stddef.h>

enum { LANES = 8 };

/* Make the matrix `inverse` that of (inverse^-1 / factor + w gap gap'). Write factor times the old one times gap into
   `product`; return what part of that the new one has. */
typedef double (*add_information_t)(double *inverse, ptrdiff_t n, const double *gap, double w, double factor,
                                    double *product);

#define VECTOR_BODY "thalweg/learners/stacking/_native/newton_body.h"
#include "thalweg/_native/vectors.h"

static add_information_t best_add_information(void)
{
    return WIDEST(add_information);
}

#endif
