/* What a leaf knows of its numeric inputs, updated for four inputs at a time with AVX2: formulas (2) and (3) of
   tree_leaf.pyx. Most of the time goes into divisions, which take as long for four as for one. Callers have other
   code, which gives the same numbers, for the inputs that are left and for machines without it, whose
   vector_width() is less than 32. */

#ifndef THALWEG_WIDE_NUMBERS_H
#define THALWEG_WIDE_NUMBERS_H

#include <stddef.h>

typedef struct {
    double *count;
    double *mean;
    double *squares;
    double *inverse;
    double *low;
    double *high;
} number_sums_t;

#include "thalweg/_native/vectors.h"

#if HAS_WIDE_VECTORS

/* Learn the values x of inputs with a weight, as many as come in fours; returns how many. The first four with one
   that is missing, new or whose inverse is not between `least` and `most` end it. Nothing is stored under a mask: the
   next row would have to wait for it. */
__attribute__((target("avx2"))) static ptrdiff_t
learn_wide(const double *x, double weight, const number_sums_t *sums, ptrdiff_t n, double least, double most)
{
    const __m256d zero = _mm256_setzero_pd(), one = _mm256_set1_pd(1.0), w = _mm256_set1_pd(weight);
    ptrdiff_t i = 0;
    for (; i + 4 <= n; i += 4) {
        __m256d value = _mm256_loadu_pd(x + i), count = _mm256_loadu_pd(sums->count + i);
        __m256d mean = _mm256_loadu_pd(sums->mean + i), squares = _mm256_loadu_pd(sums->squares + i);
        __m256d old = _mm256_loadu_pd(sums->inverse + i), low = _mm256_loadu_pd(sums->low + i);
        __m256d high = _mm256_loadu_pd(sums->high + i);
        __m256d known = _mm256_and_pd(_mm256_cmp_pd(count, zero, _CMP_GT_OQ), _mm256_cmp_pd(value, value, _CMP_ORD_Q));
        __m256d moved = _mm256_mul_pd(w, _mm256_sub_pd(value, mean));
        count = _mm256_add_pd(count, w);
        mean = _mm256_add_pd(mean, _mm256_div_pd(moved, count));
        squares = _mm256_add_pd(squares, _mm256_mul_pd(moved, _mm256_sub_pd(value, mean)));
        __m256d inverse = _mm256_mul_pd(_mm256_set1_pd(0.5), _mm256_sub_pd(count, one));
        inverse = _mm256_div_pd(inverse, squares);
        __m256d wide = _mm256_cmp_pd(squares, zero, _CMP_GT_OQ);
        wide = _mm256_and_pd(wide, _mm256_cmp_pd(count, one, _CMP_GT_OQ));
        inverse = _mm256_blendv_pd(old, inverse, wide);
        __m256d usual = _mm256_cmp_pd(inverse, _mm256_set1_pd(least), _CMP_GE_OQ);
        usual = _mm256_and_pd(usual, _mm256_cmp_pd(inverse, _mm256_set1_pd(most), _CMP_LT_OQ));
        usual = _mm256_or_pd(usual, _mm256_cmp_pd(wide, zero, _CMP_EQ_OQ));
        known = _mm256_and_pd(known, _mm256_cmp_pd(squares, zero, _CMP_GE_OQ));
        if (_mm256_movemask_pd(_mm256_and_pd(known, usual)) != 0xf)
            return i;
        _mm256_storeu_pd(sums->count + i, count);
        _mm256_storeu_pd(sums->mean + i, mean);
        _mm256_storeu_pd(sums->squares + i, squares);
        _mm256_storeu_pd(sums->inverse + i, inverse);
        _mm256_storeu_pd(sums->low + i, _mm256_min_pd(value, low));
        _mm256_storeu_pd(sums->high + i, _mm256_max_pd(value, high));
    }
    return i;
}

/* The sum of min(inverse (x - mean)^2, farthest) over n inputs, in four sums: those of the inputs 0, 4, 8, … and what
   is left at the end, 1, 5, 9, …, and so on. */
__attribute__((target("avx2"))) static double
distances_wide(const double *x, const double *mean, const double *inverse, ptrdiff_t n, double farthest)
{
    const __m256d most = _mm256_set1_pd(farthest);
    __m256d sum = _mm256_setzero_pd();
    ptrdiff_t i = 0;
    for (; i + 4 <= n; i += 4) {
        __m256d error = _mm256_sub_pd(_mm256_loadu_pd(x + i), _mm256_loadu_pd(mean + i));
        __m256d value = _mm256_mul_pd(_mm256_mul_pd(error, error), _mm256_loadu_pd(inverse + i));
        sum = _mm256_add_pd(sum, _mm256_min_pd(most, value));
    }
    double sums[4];
    _mm256_storeu_pd(sums, sum);
    for (; i < n; i++) {
        double error = x[i] - mean[i], value = error * error * inverse[i];
        sums[0] += farthest < value ? farthest : value;
    }
    return sums[0] + sums[1] + sums[2] + sums[3];
}

#else

static inline double distances_wide(const double *x, const double *mean, const double *inverse, ptrdiff_t n,
                                    double farthest)
{
    return 0.0;
}

static inline ptrdiff_t learn_wide(const double *x, double weight, const number_sums_t *sums, ptrdiff_t n, double least,
                                   double most)
{
    return 0;
}

#endif
#endif
