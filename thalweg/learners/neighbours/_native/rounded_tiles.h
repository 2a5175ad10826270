/* Lower bounds on the distances of one row from the rows of a window, in whole numbers: near_tile() passes over
   tiles without a near row. A tile is 32 rows, pair of inputs by pair of inputs, two numbers of 16 bits a row. */

#ifndef THALWEG_ROUNDED_TILES_H
#define THALWEG_ROUNDED_TILES_H

#include <stddef.h>
#include <stdint.h>

enum {
    ROUNDED_TILE = 32,
    PAIRS_A_LOOK = 4            /* after which rows may be known to be too far */
};

typedef struct {
    ptrdiff_t n_pairs;          /* of all inputs */
    ptrdiff_t n_categories;     /* the first of the pairs used: numbers there are the same or not */
    ptrdiff_t n_used;
    int32_t unit;               /* what two different categories are apart, twice: in both halves */
    const int32_t *tiles;       /* [tile, pair, ROUNDED_TILE] */
    const ptrdiff_t *used;      /* [n_used]: pairs that count here */
    const int32_t *value;       /* [n_used]: the row's numbers in them */
} rounded_view_t;

/* The greatest tile from `last` down to `first` with a row whose sum of squares is at most `limit`, or first - 1;
   `rows` gets a bit for each such row. */
typedef ptrdiff_t (*near_tile_t)(const rounded_view_t *v, ptrdiff_t last, ptrdiff_t first, int32_t limit,
                                 uint32_t *rows);

#define VECTOR_BODY "thalweg/learners/neighbours/_native/rounded_tiles_body.h"
#include "thalweg/_native/vectors.h"

/* The place of the highest bit that is set, if one is. */
static inline int last_bit(uint32_t bits)
{
    return 31 - __builtin_clz(bits);
}

/* Have the beginning of a row in the cache soon; the rest follows by itself. */
static inline void fetch_row(const double *row, ptrdiff_t n)
{
    for (ptrdiff_t j = 0; j < n && j < 64; j += 8)
        __builtin_prefetch(row + j);
}

static near_tile_t best_near_tile(void)
{
    return WIDEST(near_tile);
}

#endif
