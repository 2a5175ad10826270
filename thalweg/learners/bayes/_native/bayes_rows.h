/* naive_bayes.pyx for many rows of few inputs, two classes and nothing but numbers, with AVX2: the formulas (1) to (5)
   there, the same numbers. Four inputs share a vector. What is known of a class is copied and padded to whole vectors
   by inputs that are always 0; factors and exponentials of several rows are found together, since nothing that is
   learned waits for them. A row that needs more care, because a value is missing or a number leaves the usual range,
   is left to the caller. */

#ifndef THALWEG_BAYES_ROWS_H
#define THALWEG_BAYES_ROWS_H

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "thalweg/_native/vectors.h"

#define BAYES_MOST_INPUTS 16
#define BAYES_ROWS_TOGETHER 32
#define BAYES_USUAL_WEIGHT 1e12         /* with a square of this, widths whose product has no more bits than this, */
#define BAYES_USUAL_BITS 400            /* up or down, are a product between 1/BAYES_LARGE and BAYES_LARGE */

/* What is known of both classes, one behind the other. */
typedef struct {
    double *weight, *factor, *bias;                                         /* [class] */
    double *count, *mean, *squares, *inverse;                               /* [class, input] */
} bayes_classes_t;

#if HAS_WIDE_VECTORS

#define BAYES_INLINE __attribute__((target("avx2"), always_inline)) static inline

typedef struct {
    double weight, factor;
    double mean[BAYES_MOST_INPUTS], squares[BAYES_MOST_INPUTS], inverse[BAYES_MOST_INPUTS];
} bayes_class_t;

/* Of some rows, before and after they are learned. */
typedef struct {
    double gap[BAYES_ROWS_TOGETHER];                            /* from the score of the first class to the second's */
    double first[BAYES_ROWS_TOGETHER], second[BAYES_ROWS_TOGETHER]; /* factors of the classes */
    double weight[BAYES_ROWS_TOGETHER];                         /* of the row's class, with the row */
    double width[BAYES_ROWS_TOGETHER][BAYES_MOST_INPUTS];       /* c/pi of it, 1 where it is unknown */
} bayes_batch_t;

/* Add four inputs' parts of (3) to the distances of both classes, input by input. */
BAYES_INLINE __m128d bayes_farther(__m128d far, __m256d value, const bayes_class_t *classes, ptrdiff_t j)
{
    const __m256d most = _mm256_set1_pd(BAYES_FARTHEST);
    __m256d one = _mm256_sub_pd(value, _mm256_loadu_pd(classes[0].mean + j));
    __m256d other = _mm256_sub_pd(value, _mm256_loadu_pd(classes[1].mean + j));
    one = _mm256_min_pd(_mm256_mul_pd(_mm256_mul_pd(one, one), _mm256_loadu_pd(classes[0].inverse + j)), most);
    other = _mm256_min_pd(_mm256_mul_pd(_mm256_mul_pd(other, other), _mm256_loadu_pd(classes[1].inverse + j)), most);
    __m256d even = _mm256_unpacklo_pd(one, other), odd = _mm256_unpackhi_pd(one, other);
    far = _mm_add_pd(_mm_add_pd(far, _mm256_castpd256_pd128(even)), _mm256_castpd256_pd128(odd));
    return _mm_add_pd(_mm_add_pd(far, _mm256_extractf128_pd(even, 1)), _mm256_extractf128_pd(odd, 1));
}

/* Score a row and learn it, or change nothing and return 0; n is the number of vectors, known to the compiler. A width
   lies between 1/most and most, so that no product of them has to become a log. */
BAYES_INLINE int bayes_row(const double *x, __m256i tail, double w, bayes_class_t *classes, bayes_class_t *own, int n,
                           double most, double *width, double *gap)
{
    const __m256d sure = _mm256_set1_pd(BAYES_SURE), one = _mm256_set1_pd(1.0), sign = _mm256_set1_pd(-0.0);
    const __m256d least = _mm256_set1_pd(1.0 / most);
    double weight = own->weight + w;
    __m128d far = _mm_setzero_pd();
    __m256d mean[4], squares[4], inverse[4], good = _mm256_cmp_pd(one, one, _CMP_EQ_OQ);
    const __m256d share = _mm256_set1_pd(w / weight), half = _mm256_set1_pd(0.5 * (weight - 1.0));
    for (int v = 0; v < n; v++) {
        __m256d value = v + 1 < n ? _mm256_loadu_pd(x + 4 * v) : _mm256_maskload_pd(x + 4 * v, tail);
        __m256d centre = _mm256_loadu_pd(own->mean + 4 * v), error = _mm256_sub_pd(value, centre);
        far = bayes_farther(far, value, classes, 4 * v);                                                /* (3) */
        mean[v] = _mm256_add_pd(centre, _mm256_mul_pd(error, share));                                   /* (2) */
        error = _mm256_mul_pd(_mm256_mul_pd(_mm256_set1_pd(w), error), _mm256_sub_pd(value, mean[v]));
        squares[v] = _mm256_add_pd(_mm256_loadu_pd(own->squares + 4 * v), _mm256_andnot_pd(sign, error));
        inverse[v] = _mm256_div_pd(half, squares[v]);
        __m256d flat = _mm256_cmp_pd(squares[v], _mm256_setzero_pd(), _CMP_EQ_OQ);
        __m256d wide = _mm256_blendv_pd(_mm256_mul_pd(inverse[v], _mm256_set1_pd(1 / M_PI)), one, flat);
        good = _mm256_and_pd(good, _mm256_cmp_pd(wide, least, _CMP_GT_OQ));
        good = _mm256_and_pd(good, _mm256_cmp_pd(wide, _mm256_set1_pd(most), _CMP_LT_OQ));
        inverse[v] = _mm256_blendv_pd(inverse[v], sure, flat);
        _mm256_storeu_pd(width + 4 * v, wide);
    }
    if (!(w > 0.0 && weight > 1.0 && weight < BAYES_USUAL_WEIGHT) || _mm256_movemask_pd(good) != 0xf)
        return 0;
    for (int v = 0; v < n; v++) {
        _mm256_storeu_pd(own->mean + 4 * v, mean[v]);
        _mm256_storeu_pd(own->squares + 4 * v, squares[v]);
        _mm256_storeu_pd(own->inverse + 4 * v, inverse[v]);
    }
    own->weight = weight;
    *gap = _mm_cvtsd_f64(far) - _mm_cvtsd_f64(_mm_unpackhi_pd(far, far));
    return 1;
}

/* (5): the factors of both classes before each of n rows, and after the last. */
BAYES_INLINE void bayes_factors(bayes_batch_t *batch, const ptrdiff_t *y, ptrdiff_t n, ptrdiff_t d,
                                bayes_class_t *classes)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        double product = batch->weight[i] * batch->weight[i];
        for (ptrdiff_t j = 0; j < d; j++)
            product *= batch->width[i][j];
        batch->first[i] = classes[0].factor, batch->second[i] = classes[1].factor;
        classes[y[i]].factor = _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(product)));
    }
}

/* (1) for n rows. Which class scores higher is hard to foresee: there is no branch. */
BAYES_INLINE void bayes_weigh(bayes_batch_t *batch, ptrdiff_t n, double *p)
{
    double small[BAYES_ROWS_TOGETHER], both[2 * BAYES_ROWS_TOGETHER];
    for (ptrdiff_t i = 0; i < n; i++)
        small[i] = exp(-fabs(batch->gap[i]));
    for (ptrdiff_t i = 0; i < n; i += 4) {
        __m256d higher = _mm256_cmp_pd(_mm256_loadu_pd(batch->gap + i), _mm256_setzero_pd(), _CMP_GT_OQ);
        __m256d first = _mm256_loadu_pd(batch->first + i), second = _mm256_loadu_pd(batch->second + i);
        __m256d high = _mm256_blendv_pd(first, second, higher), low = _mm256_blendv_pd(second, first, higher);
        low = _mm256_mul_pd(low, _mm256_loadu_pd(small + i));
        __m256d scale = _mm256_div_pd(_mm256_set1_pd(1.0), _mm256_add_pd(high, low));
        high = _mm256_mul_pd(high, scale), low = _mm256_mul_pd(low, scale);
        first = _mm256_blendv_pd(high, low, higher), second = _mm256_blendv_pd(low, high, higher);
        high = _mm256_unpackhi_pd(first, second), low = _mm256_unpacklo_pd(first, second);
        _mm256_storeu_pd(both + 2 * i, _mm256_permute2f128_pd(low, high, 0x20));
        _mm256_storeu_pd(both + 2 * i + 4, _mm256_permute2f128_pd(low, high, 0x31));
    }
    memcpy(p, both, 2 * n * sizeof(double));
}

/* What learn_bayes_rows does, for rows of n vectors. */
BAYES_INLINE ptrdiff_t bayes_vectors(const double *x, const ptrdiff_t *y, const double *w, ptrdiff_t n_rows,
                                     ptrdiff_t d, bayes_class_t *classes, double *p, int n)
{
    bayes_batch_t batch;
    const __m256i tail = _mm256_cmpgt_epi64(_mm256_set1_epi64x(d - 4 * (n - 1)), _mm256_setr_epi64x(0, 1, 2, 3));
    const double most = exp2(floor(BAYES_USUAL_BITS / (double) d));
    ptrdiff_t done = 0, i, stop;
    do {
        stop = n_rows - done < BAYES_ROWS_TOGETHER ? n_rows - done : BAYES_ROWS_TOGETHER;
        for (i = 0; i < stop; i++, x += d) {
            bayes_class_t *own = classes + y[done + i];
            if (!bayes_row(x, tail, w[done + i], classes, own, n, most, batch.width[i], batch.gap + i))
                break;
            batch.weight[i] = own->weight;
        }
        bayes_factors(&batch, y + done, i, d, classes);
        bayes_weigh(&batch, i, p + 2 * done);
        done += i;
    } while (i == BAYES_ROWS_TOGETHER && done < n_rows);
    return done;
}

/* Copy class k, padded by inputs that are always 0; returns 0 if it is unknown, has a bias or lacked a value. */
static int bayes_copy(bayes_class_t *own, const bayes_classes_t *known, ptrdiff_t k, ptrdiff_t d)
{
    own->weight = known->weight[k], own->factor = known->factor[k];
    for (ptrdiff_t j = 0; j < BAYES_MOST_INPUTS; j++) {
        ptrdiff_t place = k * d + (j < d ? j : 0);
        if (known->count[place] != own->weight)
            return 0;
        own->mean[j] = j < d ? known->mean[place] : 0.0;
        own->squares[j] = j < d ? known->squares[place] : 0.0;
        own->inverse[j] = j < d ? known->inverse[place] : BAYES_SURE;
    }
    return own->factor > 0.0 && known->bias[k] == 0.0;
}

static void bayes_adopt(const bayes_class_t *own, const bayes_classes_t *known, ptrdiff_t k, ptrdiff_t d)
{
    known->weight[k] = own->weight, known->factor[k] = own->factor;
    for (ptrdiff_t j = 0; j < d; j++)
        known->count[k * d + j] = own->weight;
    memcpy(known->mean + k * d, own->mean, d * sizeof(double));
    memcpy(known->squares + k * d, own->squares, d * sizeof(double));
    memcpy(known->inverse + k * d, own->inverse, d * sizeof(double));
}

/* Predict the first of n rows with d inputs into p, each before it is learned; returns how many were done. */
__attribute__((target("avx2"))) static ptrdiff_t
learn_bayes_rows(const double *x, const ptrdiff_t *y, const double *w, ptrdiff_t n, ptrdiff_t d,
                 const bayes_classes_t *known, double *p)
{
    bayes_class_t classes[2];
    ptrdiff_t done = 0;
    if (!bayes_copy(classes, known, 0, d) || !bayes_copy(classes + 1, known, 1, d))
        return 0;
    switch ((d + 3) / 4) {
    case 1: done = bayes_vectors(x, y, w, n, d, classes, p, 1); break;
    case 2: done = bayes_vectors(x, y, w, n, d, classes, p, 2); break;
    case 3: done = bayes_vectors(x, y, w, n, d, classes, p, 3); break;
    case 4: done = bayes_vectors(x, y, w, n, d, classes, p, 4); break;
    }
    bayes_adopt(classes, known, 0, d);
    bayes_adopt(classes + 1, known, 1, d);
    return done;
}

#else

static inline ptrdiff_t learn_bayes_rows(const double *x, const ptrdiff_t *y, const double *w, ptrdiff_t n, ptrdiff_t d,
                                         const bayes_classes_t *known, double *p)
{
    return 0;
}

#endif
#endif
