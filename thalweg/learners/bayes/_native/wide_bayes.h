/* What naive_bayes.pyx knows of the numeric inputs of a class, updated for four inputs at a time with AVX2: formula (2)
   there, and the inverse of (3). Callers have other code, which gives the same numbers, for the inputs that are left and
   for machines without it, whose vector_width() is less than 32. */

#ifndef THALWEG_WIDE_BAYES_H
#define THALWEG_WIDE_BAYES_H

#include <stddef.h>

#include "thalweg/_native/vectors.h"

#if HAS_WIDE_VECTORS

/* Learn the values x of inputs with weight w, as many as come in fours; returns how many. The first four with one that
   is or was missing, whose `weight` is then not that of its class, or whose inverse is not between `least` and `most`,
   end it. */
__attribute__((target("avx2"))) static ptrdiff_t
learn_bayes_wide(const double *x, double w, double weight, double share, double *count, double *mean, double *squares,
                 double *inverse, ptrdiff_t n, double least, double most)
{
    const __m256d zero = _mm256_setzero_pd(), all = _mm256_set1_pd(weight);
    const __m256d twice = _mm256_set1_pd(0.5 * (weight - 1.0)), sign = _mm256_set1_pd(-0.0);
    ptrdiff_t i = 0;
    if (!(weight > 1.0))
        return 0;
    for (; i + 4 <= n; i += 4) {
        __m256d value = _mm256_loadu_pd(x + i), centre = _mm256_loadu_pd(mean + i);
        __m256d error = _mm256_sub_pd(value, centre), sum = _mm256_loadu_pd(squares + i);
        __m256d known = _mm256_cmp_pd(_mm256_add_pd(_mm256_loadu_pd(count + i), _mm256_set1_pd(w)), all, _CMP_EQ_OQ);
        centre = _mm256_add_pd(centre, _mm256_mul_pd(error, _mm256_set1_pd(share)));
        __m256d added = _mm256_mul_pd(_mm256_mul_pd(_mm256_set1_pd(w), error), _mm256_sub_pd(value, centre));
        sum = _mm256_add_pd(sum, _mm256_andnot_pd(sign, added));
        __m256d found = _mm256_div_pd(twice, sum), flat = _mm256_cmp_pd(sum, zero, _CMP_EQ_OQ);
        __m256d usual = _mm256_and_pd(_mm256_cmp_pd(found, _mm256_set1_pd(least), _CMP_GE_OQ),
                                      _mm256_cmp_pd(found, _mm256_set1_pd(most), _CMP_LT_OQ));
        if (_mm256_movemask_pd(_mm256_and_pd(known, _mm256_or_pd(usual, flat))) != 0xf)
            return i;
        _mm256_storeu_pd(count + i, all);
        _mm256_storeu_pd(mean + i, centre);
        _mm256_storeu_pd(squares + i, sum);
        _mm256_storeu_pd(inverse + i, _mm256_blendv_pd(found, _mm256_loadu_pd(inverse + i), flat));
    }
    return i;
}

#else

static inline ptrdiff_t learn_bayes_wide(const double *x, double w, double weight, double share, double *count,
                                         double *mean, double *squares, double *inverse, ptrdiff_t n, double least,
                                         double most)
{
    return 0;
}

#endif
#endif
