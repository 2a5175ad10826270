/* How well the thresholds of a numeric input part the classes, to three digits, for sixteen thresholds at a time with
   AVX2. Nearly all attempts to split a leaf fail by far more than that: split.pyx computes exact merits only where
   these leave it open. Where there is no AVX2, has_rough_impurity() is 0 and all is computed exactly. */

#ifndef THALWEG_ROUGH_IMPURITY_H
#define THALWEG_ROUGH_IMPURITY_H

#include <math.h>
#include <stddef.h>

#include "thalweg/_native/vectors.h"

/* Bits by which an impurity may be off, at most. A class's share below a threshold is off by 2e-6, which v log2(v)
   multiplies by up to 25, a logarithm by 4e-6, and rounding the sums adds 1e-4 at most: together a quarter of this. */
#define ROUGH_ERROR 1e-3

/* A share of the rows this close to the least one that a branch must have may be on either side of it. */
#define ROUGH_SHARE 1e-4

/* Rounding grows with the number of classes. */
#define ROUGH_CLASSES 128

typedef struct {
    const double *numbers;  /* [slot, 6, step]: count, mean, squares, inverse, lowest, highest of the inputs */
    const int *slots;       /* [class]: its slot, -1 without one */
    ptrdiff_t n_classes;
    ptrdiff_t step;
    ptrdiff_t n_points;     /* thresholds, at equal distances between the least and the greatest value */
    double least_share;     /* of the rows, that both branches must have */
} rough_leaf_t;

#if HAS_WIDE_VECTORS

typedef struct {
    __m256 left;            /* share of the rows at and below the threshold */
    __m256 entropy;         /* sum of v log2(v) over both branches' shares v of the classes */
} rough_sums_t;

static inline int has_rough_impurity(void)
{
    return vector_width() >= 32;
}

/* v log2(v), 0 for 0; v = 2^e (1 + r) with r between sqrt(1/2) - 1 and sqrt(2) - 1. */
__attribute__((target("avx2,fma"))) static inline __m256 rough_information(__m256 v)
{
    const __m256i half = _mm256_set1_epi32(0x3f3504f3);
    __m256i bits = _mm256_castps_si256(v);
    __m256i power = _mm256_srai_epi32(_mm256_sub_epi32(bits, half), 23);
    __m256 r = _mm256_castsi256_ps(_mm256_sub_epi32(bits, _mm256_slli_epi32(power, 23)));
    r = _mm256_sub_ps(r, _mm256_set1_ps(1.0f));
    __m256 sum = _mm256_set1_ps(-0.20685812f);
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(0.31840712f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(-0.36641326f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(0.47979388f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(-0.72120847f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(1.4427018f));
    return _mm256_mul_ps(v, _mm256_fmadd_ps(sum, r, _mm256_cvtepi32_ps(power)));
}

/* erfc(u)/2, by formula 7.1.28 of Abramowitz and Stegun for u >= 0. */
__attribute__((target("avx2,fma"))) static inline __m256 rough_tail(__m256 u)
{
    const __m256 sign = _mm256_set1_ps(-0.0f);
    __m256 size = _mm256_min_ps(_mm256_andnot_ps(sign, u), _mm256_set1_ps(9.0f));
    __m256 sum = _mm256_set1_ps(0.0000430638f);
    sum = _mm256_fmadd_ps(sum, size, _mm256_set1_ps(0.0002765672f));
    sum = _mm256_fmadd_ps(sum, size, _mm256_set1_ps(0.0001520143f));
    sum = _mm256_fmadd_ps(sum, size, _mm256_set1_ps(0.0092705272f));
    sum = _mm256_fmadd_ps(sum, size, _mm256_set1_ps(0.0422820123f));
    sum = _mm256_fmadd_ps(sum, size, _mm256_set1_ps(0.0705230784f));
    sum = _mm256_fmadd_ps(sum, size, _mm256_set1_ps(1.0f));
    sum = _mm256_mul_ps(sum, sum);
    sum = _mm256_mul_ps(sum, sum);
    sum = _mm256_mul_ps(sum, sum);
    sum = _mm256_mul_ps(sum, sum);
    __m256 tail = _mm256_div_ps(_mm256_set1_ps(0.5f), sum);
    return _mm256_blendv_ps(tail, _mm256_sub_ps(_mm256_set1_ps(1.0f), tail), u);
}

/* Eight floats of two times four doubles. */
__attribute__((target("avx2,fma"))) static inline __m256 rough_pair(__m256d low, __m256d high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(low)), _mm256_cvtpd_ps(high), 1);
}

/* 0 or 1 of two times four comparisons: the thresholds t that are not below x. */
__attribute__((target("avx2,fma"))) static inline __m256 rough_reached(__m256d low, __m256d high, double x)
{
    const __m256d one = _mm256_set1_pd(1.0), bound = _mm256_set1_pd(x);
    return rough_pair(_mm256_and_pd(_mm256_cmp_pd(low, bound, _CMP_GE_OQ), one),
                      _mm256_and_pd(_mm256_cmp_pd(high, bound, _CMP_GE_OQ), one));
}

/* Add a class with this share of the rows to the sums of eight thresholds. */
__attribute__((target("avx2,fma"))) static inline void
rough_add(rough_sums_t *sums, __m256d low, __m256d high, const double *n, ptrdiff_t step, double scale, float share)
{
    const __m256d mean = _mm256_set1_pd(n[step]), by = _mm256_set1_pd(scale);
    __m256 u = rough_pair(_mm256_mul_pd(_mm256_sub_pd(mean, low), by), _mm256_mul_pd(_mm256_sub_pd(mean, high), by));
    __m256 all = _mm256_set1_ps(share), part = rough_tail(u);
    part = _mm256_mul_ps(part, rough_reached(low, high, n[4 * step]));
    part = _mm256_max_ps(part, rough_reached(low, high, n[5 * step]));
    __m256 left = _mm256_mul_ps(all, part), right = _mm256_sub_ps(all, left);
    sums->left = _mm256_add_ps(sums->left, left);
    sums->entropy = _mm256_add_ps(sums->entropy, rough_information(left));
    sums->entropy = _mm256_add_ps(sums->entropy, rough_information(right));
}

/* The least impurity of eight thresholds of which both branches are surely large enough, or with `maybe` of those
   where that is not sure; infinity without one. */
__attribute__((target("avx2,fma"))) static inline void
rough_least(const rough_sums_t *sums, __m256 inside, double least_share, float *sure, float *maybe)
{
    const __m256 none = _mm256_set1_ps(INFINITY);
    __m256 left = sums->left, right = _mm256_max_ps(_mm256_sub_ps(_mm256_set1_ps(1.0f), left), _mm256_setzero_ps());
    __m256 value = _mm256_add_ps(rough_information(left), rough_information(right)), smaller, found;
    value = _mm256_sub_ps(value, sums->entropy);
    smaller = _mm256_min_ps(left, right);
    found = _mm256_cmp_ps(smaller, _mm256_set1_ps((float) (least_share + ROUGH_SHARE)), _CMP_GT_OQ);
    found = _mm256_blendv_ps(none, value, _mm256_and_ps(inside, found));
    float values[8];
    _mm256_storeu_ps(values, found);
    for (int i = 0; i < 8; i++)
        *sure = values[i] < *sure ? values[i] : *sure;
    found = _mm256_cmp_ps(smaller, _mm256_set1_ps((float) (least_share + ROUGH_SHARE)), _CMP_LE_OQ);
    left = _mm256_cmp_ps(smaller, _mm256_set1_ps((float) (least_share - ROUGH_SHARE)), _CMP_GT_OQ);
    found = _mm256_and_ps(_mm256_and_ps(inside, found), left);
    if (_mm256_movemask_ps(found) == 0)
        return;
    _mm256_storeu_ps(values, _mm256_blendv_ps(none, value, found));
    for (int i = 0; i < 8; i++)
        *maybe = values[i] < *maybe ? values[i] : *maybe;
}

/* Thresholds first to first + 7, four and four; returns those strictly between the borders. */
__attribute__((target("avx2,fma"))) static inline __m256
rough_thresholds(double least, double most, ptrdiff_t n, ptrdiff_t first, __m256d *low, __m256d *high)
{
    const __m256d start = _mm256_set1_pd(least), width = _mm256_set1_pd((most - least) / ((double) n + 1.0));
    const __m256d end = _mm256_set1_pd(most), last = _mm256_set1_pd((double) n);
    __m256d number = _mm256_add_pd(_mm256_set1_pd((double) first), _mm256_setr_pd(1.0, 2.0, 3.0, 4.0)), inside[2];
    for (int i = 0; i < 2; i++) {
        __m256d t = _mm256_add_pd(_mm256_mul_pd(width, number), start);
        inside[i] = _mm256_and_pd(_mm256_cmp_pd(start, t, _CMP_LT_OQ), _mm256_cmp_pd(t, end, _CMP_LT_OQ));
        inside[i] = _mm256_and_pd(inside[i], _mm256_cmp_pd(number, last, _CMP_LE_OQ));
        inside[i] = _mm256_and_pd(inside[i], _mm256_set1_pd(1.0));
        number = _mm256_add_pd(number, _mm256_set1_pd(4.0));
        *(i ? high : low) = t;
    }
    return _mm256_cmp_ps(rough_pair(inside[0], inside[1]), _mm256_setzero_ps(), _CMP_GT_OQ);
}

/* What class k knows of input i; NULL if that is nothing. */
static inline const double *rough_class(const rough_leaf_t *leaf, ptrdiff_t k, ptrdiff_t i)
{
    const double *n = leaf->numbers + (leaf->slots[k] < 0 ? 0 : leaf->slots[k]) * 6 * leaf->step + i;
    return leaf->slots[k] < 0 || !(n[0] > 0) ? NULL : n;
}

/* The least impurity, in bits, that a threshold of numeric input i leaves: infinity if none parts the rows, minus
   infinity if it is not clear which do. */
__attribute__((target("avx2,fma"))) static double rough_impurity(const rough_leaf_t *leaf, ptrdiff_t i)
{
    double least = INFINITY, most = -INFINITY, total = 0.0;
    float sure = INFINITY, maybe = INFINITY;
    ptrdiff_t step = leaf->step;
    for (ptrdiff_t k = 0; k < leaf->n_classes; k++) {
        const double *n = rough_class(leaf, k, i);
        if (n == NULL)
            continue;
        total += n[0];
        least = n[4 * step] < least ? n[4 * step] : least;
        most = n[5 * step] > most ? n[5 * step] : most;
    }
    if (!(least < most))
        return INFINITY;
    if (leaf->n_classes > ROUGH_CLASSES || !(total > 1e-290 && total < 1e290))
        return -INFINITY;
    for (ptrdiff_t first = 0; first < leaf->n_points; first += 16) {
        __m256d t[4];
        rough_sums_t sums[2] = {{_mm256_setzero_ps(), _mm256_setzero_ps()}, {_mm256_setzero_ps(), _mm256_setzero_ps()}};
        __m256 inside = rough_thresholds(least, most, leaf->n_points, first, t, t + 1);
        __m256 others = rough_thresholds(least, most, leaf->n_points, first + 8, t + 2, t + 3);
        for (ptrdiff_t k = 0; k < leaf->n_classes; k++) {
            const double *n = rough_class(leaf, k, i);
            if (n == NULL)
                continue;
            double scale = sqrt(n[3 * step]);
            float share = (float) (n[0] / total);
            rough_add(sums, t[0], t[1], n, step, scale, share);
            rough_add(sums + 1, t[2], t[3], n, step, scale, share);
        }
        rough_least(sums, inside, leaf->least_share, &sure, &maybe);
        rough_least(sums + 1, others, leaf->least_share, &sure, &maybe);
    }
    return maybe < sure ? -INFINITY : sure;
}

#else

static inline int has_rough_impurity(void)
{
    return 0;
}

static inline double rough_impurity(const rough_leaf_t *leaf, ptrdiff_t i)
{
    return -INFINITY;
}

#endif
#endif
