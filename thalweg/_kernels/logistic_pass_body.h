/* The pass, included by logistic_pass.h once for each width of vectors (WIDTH bytes).

   With z the lead of a row's label, e = exp(-|z|): log q = min(z, 0) - log(1 + e), and the other class has the
   probability (z > 0 ? e : 1)/(1 + e). */

#define PARTS (64 / WIDTH)
#define VECTOR NAMED(row_vector_t)
#define MASK NAMED(row_mask_t)

typedef double VECTOR __attribute__((vector_size(WIDTH), aligned(8), may_alias));
typedef int64_t MASK __attribute__((vector_size(WIDTH), aligned(8), may_alias));

/* The polynomial of degree 15 with these coefficients, in four chains that do not wait for each other. */
TARGET static inline __attribute__((always_inline)) VECTOR
NAMED(polynomial)(const double *c, VECTOR x)
{
    VECTOR square = x * x, fourth = square * square, sum[4] = {{0}, {0}, {0}, {0}};
    for (int k = 12; k >= 0; k -= 4)
        for (int j = 0; j < 4; j++)
            sum[j] = sum[j] * fourth + c[k + j];
    return (sum[0] + x * sum[1]) + square * (sum[2] + x * sum[3]);
}

/* exp(x) for x from -700 to 0: x = n log 2 + r, a polynomial in r, and n added to the exponent. */
TARGET static inline __attribute__((always_inline)) VECTOR
NAMED(exp_below_0)(VECTOR x)
{
    static const double inverse[16] = {
        1.0, 1.0, 0.5, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
        1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800,
    };
    VECTOR shift = {0}, one = {0}, shifted, n, r;
    shift += 6755399441055744.0;
    one += 1.0;
    shifted = x * 1.4426950408889634 + shift;
    n = shifted - shift;
    r = x - n * 0.693147180369123816490 - n * 1.90821492927058770002e-10;
    return NAMED(polynomial)(inverse, r) * (VECTOR) (((MASK) shifted << 52) + (MASK) one);
}

/* log(1 + e) for e from 0 to 1, by the series of 2 artanh(e/(2 + e)). */
TARGET static inline __attribute__((always_inline)) VECTOR
NAMED(log_above_1)(VECTOR e)
{
    static const double inverse[16] = {
        1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21,
        1.0 / 23, 1.0 / 25, 1.0 / 27, 1.0 / 29, 1.0 / 31,
    };
    VECTOR s = e / (e + 2.0);
    return 2.0 * s * NAMED(polynomial)(inverse, s * s);
}

/* Part v of a tile's rows: write the likelihoods, slope and curve; return the sum of the weighted likelihoods. */
TARGET static inline __attribute__((always_inline)) VECTOR
NAMED(score_part)(const pass_t *p, ptrdiff_t tile, int v, VECTOR *slope, VECTOR *curve)
{
    const VECTOR *a = (const VECTOR *) (p->tiles + tile * p->n_members * ROW_LANES);
    VECTOR zero = {0}, z = zero, size, e, q, active = ((const VECTOR *) (p->active + tile * ROW_LANES))[v];
    MASK positive;
    for (ptrdiff_t m = 0; m < p->n_members; m++)
        z += a[m * PARTS + v] * p->weights[m];
    positive = z > zero;
    size = (VECTOR) ((positive & (MASK) z) | (~positive & (MASK) -z));
    size = (VECTOR) (((size < 700.0) & (MASK) size) | ((size >= 700.0) & (MASK) (zero + 700.0)));
    e = NAMED(exp_below_0)(-size);
    q = (VECTOR) ((positive & (MASK) e) | (~positive & (MASK) (zero + 1.0))) / (e + 1.0);
    e = (VECTOR) (~positive & (MASK) z) - NAMED(log_above_1)(e);
    ((VECTOR *) (p->likelihood + tile * ROW_LANES))[v] = e;
    *slope = active * q;
    *curve = *slope * (1.0 - q);
    return active * e;
}

/* Add the gradient and the Hessian of `count` tiles to the sums, which are then loaded once for all of them. */
TARGET static inline __attribute__((always_inline)) void
NAMED(add_tiles)(const pass_t *p, ptrdiff_t first, int count, VECTOR slope[][PARTS], VECTOR curve[][PARTS])
{
    ptrdiff_t n = p->n_members, size = n * PARTS;
    const VECTOR *a = (const VECTOR *) (p->tiles + first * n * ROW_LANES);
    VECTOR *sum = (VECTOR *) p->sums, left[TILES_TOGETHER];
    for (ptrdiff_t m = 0; m < n; m++, sum += PARTS)
        for (int v = 0; v < PARTS; v++)
            for (int t = 0; t < count; t++)
                sum[v] += slope[t][v] * a[t * size + m * PARTS + v];
    for (ptrdiff_t m = 0; m < n && p->hessian; m++)
        for (int v = 0; v < PARTS; v++) {
            VECTOR *place = sum + m * (m + 1) / 2 * PARTS + v;
            for (int t = 0; t < count; t++)
                left[t] = curve[t][v] * a[t * size + m * PARTS + v];
            for (ptrdiff_t l = 0; l <= m; l++) {
                VECTOR total = place[l * PARTS];
                for (int t = 0; t < count; t++)
                    total += left[t] * a[t * size + l * PARTS + v];
                place[l * PARTS] = total;
            }
        }
}

TARGET static double
NAMED(logistic_pass)(const pass_t *p)
{
    ptrdiff_t n = p->n_members, n_sums = n + (p->hessian ? n * (n + 1) / 2 : 0);
    VECTOR zero = {0}, score[PARTS], slope[TILES_TOGETHER][PARTS], curve[TILES_TOGETHER][PARTS];
    double total = 0.0;
    for (int v = 0; v < PARTS; v++)
        score[v] = zero;
    for (ptrdiff_t i = 0; i < n_sums * PARTS; i++)
        ((VECTOR *) p->sums)[i] = zero;
    for (ptrdiff_t first = 0, count; first < p->n_tiles; first += count) {
        count = first + TILES_TOGETHER <= p->n_tiles ? TILES_TOGETHER : 1;
        for (ptrdiff_t t = 0; t < count; t++)
            for (int v = 0; v < PARTS; v++)
                score[v] += NAMED(score_part)(p, first + t, v, &slope[t][v], &curve[t][v]);
        if (count == TILES_TOGETHER)
            NAMED(add_tiles)(p, first, TILES_TOGETHER, slope, curve);
        else
            NAMED(add_tiles)(p, first, 1, slope, curve);
    }
    for (int lane = 0; lane < ROW_LANES; lane++)
        total += ((double *) score)[lane];
    for (ptrdiff_t m = 0; m < n; m++)
        for (int lane = 0; lane < ROW_LANES; lane++)
            p->gradient[m] += p->sums[m * ROW_LANES + lane];
    for (ptrdiff_t m = 0, place = n; m < n && p->hessian; m++)
        for (ptrdiff_t l = 0; l <= m; l++, place++)
            for (int lane = 0; lane < ROW_LANES; lane++)
                p->hessian[m * n + l] += p->sums[place * ROW_LANES + lane];
    return total;
}

#undef PARTS
#undef VECTOR
#undef MASK
#undef NAMED
#undef TARGET
#undef WIDTH
