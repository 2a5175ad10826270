/* The inputs of linear_logistic.pyx, four at a time with AVX2: formulas (1) to (3) there. Most of the time goes into
   divisions and roots, which take as long for four as for one. Callers have other code, which gives the same numbers,
   for rows that are not usual and for machines without it, whose vector_width() is less than 32. */

#ifndef THALWEG_WIDE_INPUTS_H
#define THALWEG_WIDE_INPUTS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    double seen;                /* rows learned, this one included */
    double rate;                /* of the quick model */
    double wildest;             /* squared: standard deviations */
    double smallest;            /* variance that counts as one */
    double farthest;            /* bound of |u| */
    const double *missing;
    const char *is_common;
    double *count;
    double *mean;
    double *variance;
    double *centre;
    double *scale;
    double *u;                  /* values of the row; then what they are to the models */
    double *quick;              /* steps of the quick model */
} wide_inputs_t;

#include "thalweg/_native/vectors.h"

#if HAS_WIDE_VECTORS

#define WIDE __attribute__((target("avx2"), always_inline)) static inline

/* What update_statistics makes of the four inputs from i on; 0 if a value is missing or wild. */
WIDE int update_part(const wide_inputs_t *s, ptrdiff_t i, __m256d *value, __m256d *count, __m256d *mean,
                     __m256d *variance)
{
    const __m256d zero = _mm256_setzero_pd(), one = _mm256_set1_pd(1.0);
    *value = _mm256_loadu_pd(s->u + i);
    *mean = _mm256_loadu_pd(s->mean + i);
    *variance = _mm256_loadu_pd(s->variance + i);
    __m256d counts = _mm256_cmp_pd(*value, zero, _CMP_NEQ_OQ), error = _mm256_sub_pd(*value, *mean);
    __m256d square = _mm256_mul_pd(error, error), wildest = _mm256_mul_pd(_mm256_set1_pd(s->wildest), *variance);
    __m256d odd = _mm256_and_pd(_mm256_cmp_pd(square, wildest, _CMP_GT_OQ),
                                _mm256_cmp_pd(wildest, _mm256_set1_pd(s->smallest), _CMP_GT_OQ));
    odd = _mm256_or_pd(_mm256_and_pd(odd, counts), _mm256_cmp_pd(*value, *value, _CMP_UNORD_Q));
    if (_mm256_movemask_pd(odd))
        return 0;
    *count = _mm256_add_pd(_mm256_loadu_pd(s->count + i), _mm256_and_pd(counts, one));
    __m256d share = _mm256_div_pd(one, *count), rest = _mm256_sub_pd(one, share);
    __m256d moved = _mm256_add_pd(*mean, _mm256_mul_pd(error, share));
    __m256d spread = _mm256_sub_pd(_mm256_mul_pd(square, rest), *variance);
    spread = _mm256_add_pd(*variance, _mm256_mul_pd(spread, share));
    *mean = _mm256_blendv_pd(*mean, moved, counts);
    *variance = _mm256_blendv_pd(*variance, spread, counts);
    return 1;
}

/* Learn the statistics of these inputs and measure their values by them; 0, and nothing is changed, if one of them is
   not usual: missing now or before, wild, without a spread, or about to become common or rare. */
WIDE int learn_part(const wide_inputs_t *s, ptrdiff_t i)
{
    const __m256d zero = _mm256_setzero_pd(), one = _mm256_set1_pd(1.0), seen = _mm256_set1_pd(s->seen);
    __m256d value, count, mean, variance;
    if (!(s->is_common[i] && s->is_common[i + 1] && s->is_common[i + 2] && s->is_common[i + 3]))
        return 0;
    if (!update_part(s, i, &value, &count, &mean, &variance))
        return 0;
    __m256d share = _mm256_div_pd(count, seen), rest = _mm256_sub_pd(one, share);
    __m256d c = _mm256_sub_pd(_mm256_mul_pd(_mm256_set1_pd(4.0), share), one), square = _mm256_mul_pd(mean, mean);
    c = _mm256_min_pd(_mm256_max_pd(c, zero), one);
    __m256d rare = _mm256_sub_pd(one, c), common = _mm256_mul_pd(c, share);
    __m256d total = _mm256_mul_pd(share, _mm256_add_pd(variance, _mm256_mul_pd(square, rest)));
    __m256d spread = _mm256_mul_pd(variance, _mm256_add_pd(rare, common));
    spread = _mm256_add_pd(spread, _mm256_mul_pd(square, _mm256_add_pd(rare, _mm256_mul_pd(common, rest))));
    __m256d usual = _mm256_cmp_pd(spread, _mm256_set1_pd(s->smallest), _CMP_GT_OQ);
    usual = _mm256_and_pd(usual, _mm256_cmp_pd(total, zero, _CMP_GT_OQ));
    usual = _mm256_and_pd(usual, _mm256_cmp_pd(_mm256_mul_pd(_mm256_set1_pd(4.0), count), seen, _CMP_GT_OQ));
    usual = _mm256_and_pd(usual, _mm256_cmp_pd(_mm256_loadu_pd(s->missing + i), zero, _CMP_EQ_OQ));
    if (_mm256_movemask_pd(usual) != 0xf)
        return 0;
    __m256d centre = _mm256_mul_pd(common, mean), scale = _mm256_div_pd(one, _mm256_sqrt_pd(spread));
    __m256d u = _mm256_mul_pd(_mm256_sub_pd(value, centre), scale), far = _mm256_set1_pd(s->farthest);
    u = _mm256_min_pd(_mm256_max_pd(u, _mm256_sub_pd(zero, far)), far);
    __m256d quick = _mm256_min_pd(_mm256_div_pd(spread, total), seen);
    _mm256_storeu_pd(s->count + i, count);
    _mm256_storeu_pd(s->mean + i, mean);
    _mm256_storeu_pd(s->variance + i, variance);
    _mm256_storeu_pd(s->centre + i, centre);
    _mm256_storeu_pd(s->scale + i, scale);
    _mm256_storeu_pd(s->u + i, u);
    _mm256_storeu_pd(s->quick + i, _mm256_mul_pd(_mm256_set1_pd(s->rate), quick));
    return 1;
}

/* Learn n inputs, in their order, as many as come in fours; returns how many: the first four with one that is not
   usual end it. */
__attribute__((target("avx2"))) static ptrdiff_t learn_inputs_wide(const wide_inputs_t *s, ptrdiff_t n)
{
    ptrdiff_t i = 0;
    for (; i + 4 <= n; i += 4)
        if (!learn_part(s, i))
            return i;
    return i;
}

/* steps <- 1/(1 + squares)^(1/2) of as many as come in fours; returns how many */
__attribute__((target("avx2"))) static ptrdiff_t find_steps_wide(const double *squares, double *steps, ptrdiff_t n)
{
    const __m256d one = _mm256_set1_pd(1.0);
    ptrdiff_t i = 0;
    for (; i + 4 <= n; i += 4) {
        __m256d root = _mm256_sqrt_pd(_mm256_add_pd(one, _mm256_loadu_pd(squares + i)));
        _mm256_storeu_pd(steps + i, _mm256_div_pd(one, root));
    }
    return i;
}

#undef WIDE
#else

static inline ptrdiff_t learn_inputs_wide(const wide_inputs_t *s, ptrdiff_t n)
{
    return 0;
}

static inline ptrdiff_t find_steps_wide(const double *squares, double *steps, ptrdiff_t n)
{
    return 0;
}

#endif
#endif
