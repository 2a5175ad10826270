/* The passes, included by logistic_pass.h once for each width of vectors (WIDTH bytes). */

#define PARTS (64 / WIDTH)
#define VECTOR NAMED(row_vector_t)
#define MASK NAMED(row_mask_t)

typedef double VECTOR __attribute__((vector_size(WIDTH), aligned(8), may_alias));
typedef int64_t MASK __attribute__((vector_size(WIDTH), aligned(8), may_alias));

#include "thalweg/_native/vector_maths.h"

/* Part v of a tile's rows, two classes: with z the lead of a row's label, e = exp(-|z|), log q is
   min(z, 0) - log(1 + e), and the other class has the probability (z > 0 ? e : 1)/(1 + e). */
TARGET static inline __attribute__((always_inline)) void
NAMED(predict_two)(const pass_t *p, ptrdiff_t tile, int v)
{
    const VECTOR *a = (const VECTOR *) (p->tiles + tile * p->n_members * ROW_LANES);
    VECTOR zero = {0}, z = zero, size, e;
    MASK positive;
    for (ptrdiff_t m = 0; m < p->n_members; m++)
        z += a[m * PARTS + v] * p->weights[m];
    positive = z > zero;
    size = NAMED(select)(positive, z, -z);
    e = NAMED(exp_below_0)(-NAMED(select)(size < 700.0, size, zero + 700.0));
    ((VECTOR *) (p->shares + tile * ROW_LANES))[v] = NAMED(select)(positive, e, zero + 1.0) / (e + 1.0);
    ((VECTOR *) (p->likelihood + tile * ROW_LANES))[v] = (VECTOR) (~positive & (MASK) z) - NAMED(log_above_1)(e);
}

/* The same for several classes: shares are proportional to exp(-z), and the label's to exp(0). */
TARGET static inline __attribute__((always_inline)) void
NAMED(predict_several)(const pass_t *p, ptrdiff_t tile, int v)
{
    ptrdiff_t first = tile * p->n_others * ROW_LANES;
    const VECTOR *a = (const VECTOR *) (p->tiles + first * p->n_members) + v;
    VECTOR *share = (VECTOR *) (p->shares + first) + v, zero = {0}, top = zero, total, z;
    for (ptrdiff_t k = 0; k < p->n_others; k++) {
        z = zero;
        for (ptrdiff_t m = 0; m < p->n_members; m++, a += PARTS)
            z -= *a * p->weights[m];
        share[k * PARTS] = z;
        top = NAMED(select)(z > top, z, top);
    }
    total = NAMED(exp_below_0)(NAMED(select)(top < 700.0, -top, zero - 700.0));
    for (ptrdiff_t k = 0; k < p->n_others; k++) {
        z = share[k * PARTS] - top;
        share[k * PARTS] = NAMED(exp_below_0)(NAMED(select)(z > -700.0, z, zero - 700.0));
        total += share[k * PARTS];
    }
    for (ptrdiff_t k = 0; k < p->n_others; k++)
        share[k * PARTS] /= total;
    ((VECTOR *) (p->likelihood + tile * ROW_LANES))[v] = -top - NAMED(log_from_1)(total);
}

TARGET static void
NAMED(predict_rows)(const pass_t *p)
{
    for (ptrdiff_t tile = 0; tile < p->n_tiles; tile++)
        for (int v = 0; v < PARTS; v++)
            if (p->n_others == 1)
                NAMED(predict_two)(p, tile, v);
            else
                NAMED(predict_several)(p, tile, v);
}

/* Add part v of `count` tiles to the sums, two classes; these are then loaded once for all of the tiles. */
TARGET static inline __attribute__((always_inline)) void
NAMED(add_two)(const pass_t *p, ptrdiff_t first, int count, int v)
{
    ptrdiff_t n = p->n_members, size = n * PARTS;
    const VECTOR *a = (const VECTOR *) (p->tiles + first * n * ROW_LANES) + v;
    VECTOR *sum = (VECTOR *) p->memory + v, left[TILES_TOGETHER], slope[TILES_TOGETHER], curve[TILES_TOGETHER];
    for (int t = 0; t < count; t++) {
        VECTOR share = ((const VECTOR *) (p->shares + (first + t) * ROW_LANES))[v];
        slope[t] = ((const VECTOR *) (p->active + (first + t) * ROW_LANES))[v] * share;
        curve[t] = slope[t] * (1.0 - share);
    }
    for (ptrdiff_t m = 0; m < n; m++, sum += PARTS)
        for (int t = 0; t < count; t++)
            *sum += slope[t] * a[t * size + m * PARTS];
    for (ptrdiff_t m = 0; m < n; m++) {
        for (int t = 0; t < count; t++)
            left[t] = curve[t] * a[t * size + m * PARTS];
        for (ptrdiff_t l = 0; l <= m; l++, sum += PARTS) {
            VECTOR total = *sum;
            for (int t = 0; t < count; t++)
                total += left[t] * a[t * size + l * PARTS];
            *sum = total;
        }
    }
}

/* The same for a tile with several classes, by the formulas of logistic_weights.pyx. */
TARGET static inline __attribute__((always_inline)) void
NAMED(add_several)(const pass_t *p, ptrdiff_t tile, int v)
{
    ptrdiff_t n = p->n_members, others = p->n_others, size = n * PARTS;
    const VECTOR *a = (const VECTOR *) (p->tiles + tile * others * n * ROW_LANES) + v;
    const VECTOR *share = (const VECTOR *) (p->shares + tile * others * ROW_LANES) + v;
    VECTOR active = ((const VECTOR *) (p->active + tile * ROW_LANES))[v], zero = {0}, *sum = (VECTOR *) p->memory + v;
    VECTOR *b = sum + (n + n * (n + 1) / 2) * PARTS, *left = b + n * PARTS, *factor = left + others * PARTS;
    for (ptrdiff_t k = 0; k < others; k++)
        factor[k * PARTS] = active * share[k * PARTS];
    for (ptrdiff_t m = 0; m < n; m++, sum += PARTS) {
        VECTOR mean = zero;
        for (ptrdiff_t k = 0; k < others; k++)
            mean += share[k * PARTS] * a[k * size + m * PARTS];
        b[m * PARTS] = mean;
        *sum += active * mean;
    }
    for (ptrdiff_t m = 0; m < n; m++) {
        VECTOR last = active * b[m * PARTS];
        for (ptrdiff_t k = 0; k < others; k++)
            left[k * PARTS] = factor[k * PARTS] * a[k * size + m * PARTS];
        for (ptrdiff_t l = 0; l <= m; l++, sum += PARTS) {
            VECTOR total = *sum - last * b[l * PARTS];
            for (ptrdiff_t k = 0; k < others; k++)
                total += left[k * PARTS] * a[k * size + l * PARTS];
            *sum = total;
        }
    }
}

TARGET static void
NAMED(add_rows)(const pass_t *p)
{
    ptrdiff_t n = p->n_members, n_sums = n + n * (n + 1) / 2, together = p->n_others == 1 ? TILES_TOGETHER : 1;
    VECTOR zero = {0};
    const double *sum = p->memory;
    for (ptrdiff_t i = 0; i < n_sums * PARTS; i++)
        ((VECTOR *) p->memory)[i] = zero;
    for (ptrdiff_t first = 0, count; first < p->n_tiles; first += count) {
        count = first + together <= p->n_tiles ? together : 1;
        for (int v = 0; v < PARTS; v++)
            if (p->n_others > 1)
                NAMED(add_several)(p, first, v);
            else if (count == TILES_TOGETHER)
                NAMED(add_two)(p, first, TILES_TOGETHER, v);
            else
                NAMED(add_two)(p, first, 1, v);
    }
    for (ptrdiff_t m = 0; m < n; m++)
        for (int lane = 0; lane < ROW_LANES; lane++)
            p->gradient[m] += *sum++;
    for (ptrdiff_t m = 0; m < n; m++)
        for (ptrdiff_t l = 0; l <= m; l++)
            for (int lane = 0; lane < ROW_LANES; lane++)
                p->hessian[m * n + l] += *sum++;
}

#undef PARTS
#undef VECTOR
#undef MASK
#undef NAMED
#undef TARGET
#undef WIDTH
