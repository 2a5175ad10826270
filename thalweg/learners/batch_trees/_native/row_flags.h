/* Rows of a node, 16 at a time, with AVX-512: flags of up to MOST_FLAGS rows are bits that fit into two registers.
   Callers have other code for machines without it, where has_row_flags() is 0. */

#ifndef THALWEG_ROW_FLAGS_H
#define THALWEG_ROW_FLAGS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MOST_FLAGS = 1024, FLAG_WORDS = MOST_FLAGS / 64, ROWS_TOGETHER = 16 };

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define WIDE __attribute__((target("avx512f,avx512dq,avx512bw,avx512vpopcntdq,bmi2"))) static inline

static inline int has_row_flags(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")
           && __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("bmi2");
}

/* words: bit i says whether flags[i] is not 0, for i < n <= MOST_FLAGS */
WIDE void pack_flags(const char *flags, ptrdiff_t n, uint64_t *words)
{
    for (ptrdiff_t i = 0; i < n; i += 64) {
        __mmask64 valid = n - i >= 64 ? ~(__mmask64) 0 : ((__mmask64) 1 << (n - i)) - 1;
        __m512i found = _mm512_maskz_loadu_epi8(valid, flags + i);
        words[i / 64] = _mm512_test_epi8_mask(found, found);
    }
}

WIDE __mmask16 first_rows(ptrdiff_t n)
{
    return n >= ROWS_TOGETHER ? 0xffff : (1u << n) - 1;
}

/* which of 16 rows have a flag */
WIDE __mmask16 flags_of(__m512i rows, __m512i low, __m512i high)
{
    __m512i word = _mm512_permutex2var_epi32(low, _mm512_srli_epi32(rows, 5), high);
    return _mm512_test_epi32_mask(_mm512_rorv_epi32(word, rows), _mm512_set1_epi32(1));
}

/* here: flagged rows up to each of these 16, `before` of them before; returns (3) of batch_split.pyx */
WIDE __m512 scores_of(__mmask16 flagged, int before, __m512 inverse, __m512 reversed, float total, __m512i *here)
{
    const __m512i through = _mm512_setr_epi32(0x1, 0x3, 0x7, 0xf, 0x1f, 0x3f, 0x7f, 0xff, 0x1ff, 0x3ff, 0x7ff, 0xfff,
                                              0x1fff, 0x3fff, 0x7fff, 0xffff);
    *here = _mm512_popcnt_epi32(_mm512_and_si512(_mm512_set1_epi32(flagged), through));
    *here = _mm512_add_epi32(*here, _mm512_set1_epi32(before));
    __m512 left = _mm512_cvtepi32_ps(*here), right = _mm512_sub_ps(_mm512_set1_ps(total), left);
    return _mm512_add_ps(_mm512_mul_ps(_mm512_mul_ps(left, left), inverse),
                         _mm512_mul_ps(_mm512_mul_ps(right, right), reversed));
}

/* the largest score of the borders after each of n rows, of which `total` are flagged on both sides together */
WIDE float best_border_by_flags(const int *order, const uint64_t *words, const float *inverse, const float *reversed,
                                ptrdiff_t n, float total)
{
    __m512i low = _mm512_loadu_si512(words), high = _mm512_loadu_si512(words + 8), here;
    __m512 most = _mm512_setzero_ps();
    int before = 0;
    for (ptrdiff_t i = 0; i < n; i += ROWS_TOGETHER) {
        __mmask16 valid = first_rows(n - i);
        __mmask16 flagged = flags_of(_mm512_maskz_loadu_epi32(valid, order + i), low, high);
        __m512 found = scores_of(flagged, before, _mm512_loadu_ps(inverse + i), _mm512_loadu_ps(reversed + i), total,
                                 &here);
        most = _mm512_mask_max_ps(most, valid, most, found);
        before += __builtin_popcount(flagged);
    }
    return _mm512_reduce_max_ps(most);
}

/* the borders whose score is at least `least`: their places in `order`, and flagged rows up to them; returns how many */
WIDE ptrdiff_t borders_by_flags(const int *order, const uint64_t *words, const float *inverse, const float *reversed,
                                ptrdiff_t n, float total, float least, int *places, int *counts)
{
    __m512i low = _mm512_loadu_si512(words), high = _mm512_loadu_si512(words + 8), here;
    __m512i place = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    ptrdiff_t n_found = 0;
    int before = 0;
    for (ptrdiff_t i = 0; i < n; i += ROWS_TOGETHER) {
        __mmask16 valid = first_rows(n - i);
        __mmask16 flagged = flags_of(_mm512_maskz_loadu_epi32(valid, order + i), low, high);
        __m512 found = scores_of(flagged, before, _mm512_loadu_ps(inverse + i), _mm512_loadu_ps(reversed + i), total,
                                 &here);
        __mmask16 good = _mm512_mask_cmp_ps_mask(valid, found, _mm512_set1_ps(least), _CMP_GE_OQ);
        if (good) {
            _mm512_storeu_si512(places + n_found, _mm512_maskz_compress_epi32(good, place));
            _mm512_storeu_si512(counts + n_found, _mm512_maskz_compress_epi32(good, here));
            n_found += __builtin_popcount(good);
        }
        place = _mm512_add_epi32(place, _mm512_set1_epi32(ROWS_TOGETHER));
        before += __builtin_popcount(flagged);
    }
    return n_found;
}

/* flagged rows first, both kinds in their order; `spare` has room for n + ROWS_TOGETHER */
WIDE void part_by_flags(int *order, const uint64_t *words, ptrdiff_t n, int *spare)
{
    __m512i low = _mm512_loadu_si512(words), high = _mm512_loadu_si512(words + 8);
    ptrdiff_t n_left = 0, n_right = 0, i = 0;
    for (; i < n; i += ROWS_TOGETHER) {
        __mmask16 valid = first_rows(n - i);
        __m512i rows = _mm512_maskz_loadu_epi32(valid, order + i);
        __mmask16 left = flags_of(rows, low, high) & valid, right = ~left & valid;
        int count = __builtin_popcount(left);
        /* No more than is there: what follows are the rows of another node. */
        _mm512_mask_storeu_epi32(order + n_left, first_rows(count), _mm512_maskz_compress_epi32(left, rows));
        _mm512_storeu_si512(spare + n_right, _mm512_maskz_compress_epi32(right, rows));
        n_left += count;
        n_right += __builtin_popcount(right);
    }
    memcpy(order + n_left, spare, n_right * sizeof(int));
}

#undef WIDE
#else

static inline int has_row_flags(void)
{
    return 0;
}

static inline void pack_flags(const char *flags, ptrdiff_t n, uint64_t *words)
{
}

static inline float best_border_by_flags(const int *order, const uint64_t *words, const float *inverse,
                                         const float *reversed, ptrdiff_t n, float total)
{
    return 0;
}

static inline ptrdiff_t borders_by_flags(const int *order, const uint64_t *words, const float *inverse,
                                         const float *reversed, ptrdiff_t n, float total, float least, int *places,
                                         int *counts)
{
    return 0;
}

static inline void part_by_flags(int *order, const uint64_t *words, ptrdiff_t n, int *spare)
{
}

#endif
#endif
