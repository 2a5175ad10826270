/* Included by rounded_tiles.h once for each width of vectors (WIDTH bytes); those for AVX-512 are as wide as those for
   AVX2, since squares of 16 bits need more than vectors.h asks for. */

#define BYTES (WIDTH < 32 ? WIDTH : 32)
#define PARTS (ROUNDED_TILE * 4 / BYTES)
#define SHORTS NAMED(shorts_t)
#define INTS NAMED(ints_t)

typedef int16_t SHORTS __attribute__((vector_size(BYTES), aligned(4), may_alias));
typedef int32_t INTS __attribute__((vector_size(BYTES), aligned(4), may_alias));

/* The sum of both squares of each pair. */
TARGET static inline INTS
NAMED(squares)(SHORTS off)
{
#if HAS_WIDE_VECTORS && WIDTH == 16
    return (INTS) _mm_madd_epi16((__m128i) off, (__m128i) off);
#elif HAS_WIDE_VECTORS
    return (INTS) _mm256_madd_epi16((__m256i) off, (__m256i) off);
#else
    INTS high = (INTS) off >> 16, low = (INTS) ((INTS) off << 16) >> 16;
    return high * high + low * low;
#endif
}

/* A bit for each number that is not above the limit. */
TARGET static inline uint32_t
NAMED(within)(INTS sum, int32_t limit)
{
    INTS beyond = sum > limit;
#if HAS_WIDE_VECTORS && WIDTH == 16
    return ~_mm_movemask_ps((__m128) beyond) & 0xf;
#elif HAS_WIDE_VECTORS
    return ~_mm256_movemask_ps((__m256) beyond) & 0xff;
#else
    uint32_t bits = 0;
    for (int i = 0; i < BYTES / 4; i++)
        bits |= (uint32_t) (beyond[i] + 1) << i;
    return bits;
#endif
}

TARGET static ptrdiff_t
NAMED(near_tile)(const rounded_view_t *v, ptrdiff_t last, ptrdiff_t first, int32_t limit, uint32_t *rows)
{
    const INTS zero = {0};
    for (ptrdiff_t t = last; t >= first; t--) {
        const int32_t *tile = v->tiles + t * v->n_pairs * ROUNDED_TILE;
        INTS sum[PARTS] = {{0}};
        ptrdiff_t u = 0;
        for (; u < v->n_categories; u++) {
            const SHORTS *pair = (const SHORTS *) (tile + v->used[u] * ROUNDED_TILE);
            SHORTS value = (SHORTS) (zero + v->value[u]), unit = (SHORTS) (zero + v->unit);
            for (int i = 0; i < PARTS; i++)
                sum[i] += NAMED(squares)((pair[i] != value) & unit);
        }
        do {
            ptrdiff_t stop = v->n_used - u > PAIRS_A_LOOK ? u + PAIRS_A_LOOK : v->n_used;
            for (; u < stop; u++) {
                const SHORTS *pair = (const SHORTS *) (tile + v->used[u] * ROUNDED_TILE);
                SHORTS value = (SHORTS) (zero + v->value[u]);
                __builtin_prefetch((const int32_t *) pair - 2 * v->n_pairs * ROUNDED_TILE);
                __builtin_prefetch((const int32_t *) pair - 2 * v->n_pairs * ROUNDED_TILE + 16);
                for (int i = 0; i < PARTS; i++)
                    sum[i] += NAMED(squares)(pair[i] - value);
            }
            *rows = 0;
            for (int i = 0; i < PARTS; i++)
                *rows |= NAMED(within)(sum[i], limit) << (i * (BYTES / 4));
        } while (*rows && u < v->n_used);
        if (*rows)
            return t;
    }
    return first - 1;
}

#undef BYTES
#undef PARTS
#undef SHORTS
#undef INTS
#undef NAMED
#undef TARGET
#undef WIDTH
