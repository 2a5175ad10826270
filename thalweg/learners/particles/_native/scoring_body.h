/* The scoring functions, included by particle_scoring.h once for each width of vectors (WIDTH bytes).

   A panel holds eight particles side by side: coefficient j of output k of all eight is
   panel[(k T + j) 8 + lane], T terms a row. Rows come in tiles of TILE_ROWS: term j of all rows of tile t is
   tiles[(t T + j) TILE_ROWS + row]. A tile's energies stay in registers, and each lane's sum runs over j in order,
   so that the number of threads changes no result. Rows that fill up the last tile weigh 0. */

#define PARTS (64 / WIDTH)
#define VECTOR NAMED(vector_t)
#define MASK NAMED(mask_t)

typedef double VECTOR __attribute__((vector_size(WIDTH), aligned(8), may_alias));
typedef int64_t MASK __attribute__((vector_size(WIDTH), aligned(8), may_alias));

TARGET static inline __attribute__((always_inline)) void
NAMED(tile_energies)(const double *panel, const double *tile, ptrdiff_t n_terms, VECTOR energy[TILE_ROWS][PARTS])
{
    VECTOR e[TILE_ROWS][PARTS] = {{{0}}};
    for (ptrdiff_t j = 0; j < n_terms; j++) {
        const VECTOR *b = (const VECTOR *) (panel + j * LANES);
        const double *x = tile + j * TILE_ROWS;
        for (int r = 0; r < TILE_ROWS; r++)
            for (int v = 0; v < PARTS; v++)
                e[r][v] += b[v] * x[r];
    }
    for (int r = 0; r < TILE_ROWS; r++)
        for (int v = 0; v < PARTS; v++)
            energy[r][v] = e[r][v];
}

/* Two classes: rows of class 0 come with their signs turned, so that a negative energy is a hit for all. */
TARGET static void
NAMED(count_hits)(const double *panel, const double *tiles, const double *weights, ptrdiff_t n_tiles,
                  ptrdiff_t n_terms, double *hits)
{
    VECTOR total[PARTS] = {{0}}, zero = {0}, energy[TILE_ROWS][PARTS];
    for (ptrdiff_t t = 0; t < n_tiles; t++) {
        NAMED(tile_energies)(panel, tiles + t * n_terms * TILE_ROWS, n_terms, energy);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int v = 0; v < PARTS; v++)
                total[v] += (VECTOR) ((energy[r][v] < zero) & (MASK) (zero + weights[t * TILE_ROWS + r]));
    }
    for (int v = 0; v < PARTS; v++)
        ((VECTOR *) hits)[v] = total[v];
}

/* Several classes: a hit is a row whose own class has the least energy, alone. */
TARGET static void
NAMED(count_class_hits)(const double *panel, const double *tiles, const intptr_t *codes, const double *weights,
                        ptrdiff_t n_tiles, ptrdiff_t n_terms, ptrdiff_t n_outputs, double *hits)
{
    VECTOR total[PARTS] = {{0}}, zero = {0};
    VECTOR energy[TILE_ROWS][PARTS], own[TILE_ROWS][PARTS], least[TILE_ROWS][PARTS];
    for (ptrdiff_t t = 0; t < n_tiles; t++) {
        for (int r = 0; r < TILE_ROWS; r++)
            for (int v = 0; v < PARTS; v++)
                least[r][v] = own[r][v] = zero + INFINITY;
        for (ptrdiff_t k = 0; k < n_outputs; k++) {
            NAMED(tile_energies)(panel + k * n_terms * LANES, tiles + t * n_terms * TILE_ROWS, n_terms, energy);
            for (int r = 0; r < TILE_ROWS; r++)
                for (int v = 0; v < PARTS; v++) {
                    VECTOR *kept = codes[t * TILE_ROWS + r] == k ? &own[r][v] : &least[r][v];
                    MASK less = energy[r][v] < *kept;
                    *kept = (VECTOR) ((less & (MASK) energy[r][v]) | (~less & (MASK) *kept));
                }
        }
        for (int r = 0; r < TILE_ROWS; r++)
            for (int v = 0; v < PARTS; v++)
                total[v] += (VECTOR) ((own[r][v] < least[r][v]) & (MASK) (zero + weights[t * TILE_ROWS + r]));
    }
    for (int v = 0; v < PARTS; v++)
        ((VECTOR *) hits)[v] = total[v];
}

/* The energies of all rows of a tile under each output: out[(k TILE_ROWS + row) 8 + lane]. */
TARGET static void
NAMED(all_energies)(const double *panel, const double *tile, ptrdiff_t n_terms, ptrdiff_t n_outputs, double *out)
{
    for (ptrdiff_t k = 0; k < n_outputs; k++)
        NAMED(tile_energies)(panel + k * n_terms * LANES, tile, n_terms,
                             (VECTOR (*)[PARTS]) (out + k * TILE_ROWS * LANES));
}

/* The energies of one row x: a constant, linear terms, and the squared length of x if there is a term for it. */
TARGET static void
NAMED(row_energies)(const double *panel, const double *x, ptrdiff_t n_features, int squared, double *out)
{
    VECTOR e[PARTS];
    double length = 0.0;
    for (int v = 0; v < PARTS; v++)
        e[v] = ((const VECTOR *) panel)[v];
    for (ptrdiff_t j = 0; j < n_features; j++) {
        const VECTOR *b = (const VECTOR *) (panel + (j + 1) * LANES);
        for (int v = 0; v < PARTS; v++)
            e[v] += b[v] * x[j];
        length += x[j] * x[j];
    }
    for (int v = 0; v < PARTS; v++) {
        if (squared)
            e[v] += ((const VECTOR *) (panel + (n_features + 1) * LANES))[v] * length;
        ((VECTOR *) out)[v] = e[v];
    }
}

static const scoring_t NAMED(scoring) = {
    NAMED(count_hits), NAMED(count_class_hits), NAMED(all_energies), NAMED(row_energies),
};

#undef PARTS
#undef VECTOR
#undef MASK
#undef NAMED
#undef TARGET
#undef WIDTH
