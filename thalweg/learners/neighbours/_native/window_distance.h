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

#define NAMED(name) name##_plain
#define TARGET
#define WIDTH 16
#include "window_distance_body.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define NAMED(name) name##_avx2
#define TARGET __attribute__((target("avx2")))
#define WIDTH 32
#include "window_distance_body.h"

#define NAMED(name) name##_avx512
#define TARGET __attribute__((target("avx512f,avx512dq")))
#define WIDTH 64
#include "window_distance_body.h"
#endif

static measure_t best_measure(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return measure_avx512;
    if (__builtin_cpu_supports("avx2"))
        return measure_avx2;
#endif
    return measure_plain;
}

#endif
