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

#define NAMED(name) name##_plain
#define TARGET
#define WIDTH 16
#include "scoring_body.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define NAMED(name) name##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define WIDTH 32
#include "scoring_body.h"

#define NAMED(name) name##_avx512
#define TARGET __attribute__((target("avx512f,avx512dq,fma")))
#define WIDTH 64
#include "scoring_body.h"
#endif

static const scoring_t *best_scoring(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return &scoring_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &scoring_avx2;
#endif
    return &scoring_plain;
}

#endif
