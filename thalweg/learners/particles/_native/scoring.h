/* Scores eight particles at a time, with the widest vectors the machine has: best_scoring() chooses. */

#ifndef THALWEG_PARTICLE_SCORING_H
#define THALWEG_PARTICLE_SCORING_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { LANES = 8, TILE_ROWS = 5 };

typedef struct {
    void (*count_hits)(const double *panel, const double *tiles, const double *weights, ptrdiff_t n_tiles,
                       ptrdiff_t n_terms, double *hits);
    void (*count_class_hits)(const double *panel, const double *tiles, const intptr_t *codes,
                             const double *weights, ptrdiff_t n_tiles, ptrdiff_t n_terms, ptrdiff_t n_outputs,
                             double *hits);
    void (*all_energies)(const double *panel, const double *tile, ptrdiff_t n_terms, ptrdiff_t n_outputs,
                         double *out);
    void (*row_energies)(const double *panel, const double *x, ptrdiff_t n_features, int squared, double *out);
} scoring_t;

#define FUSED ",fma"
#define VECTOR_BODY "thalweg/learners/particles/_native/scoring_body.h"
#include "thalweg/_native/vectors.h"

static const scoring_t *best_scoring(void)
{
    return WIDEST(&scoring);
}

#endif
