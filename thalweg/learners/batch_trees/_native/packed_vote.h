/* Where 64 rows end in a tree, with AVX-512: each node parts its set of rows, kept as bits, and nothing depends on
   what the rows are: there is nothing for the processor to guess. Callers have other code for machines without it,
   where has_row_sets() is 0. */

#ifndef THALWEG_PACKED_VOTE_H
#define THALWEG_PACKED_VOTE_H

#include <stddef.h>
#include <stdint.h>

enum { ROWS_IN_SET = 64, MOST_NODES = 511 };     /* of them 256 leaves, a byte */

typedef struct {
    double threshold;                   /* infinity in a leaf */
    int feature;
    int child[2];                       /* of values up to the threshold, and of those above; of a leaf itself */
} packed_node_t;

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define WIDE_CALL __attribute__((target("avx512f,avx512dq,avx512bw"))) static inline
#define WIDE __attribute__((target("avx512f,avx512dq,avx512bw"), always_inline)) static inline

static inline int has_row_sets(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}

WIDE __mmask16 rows_up_to(const double *column, __m512d threshold)
{
    return _mm512_kunpackb(_mm512_cmp_pd_mask(_mm512_loadu_pd(column + 8), threshold, _CMP_LE_OQ),
                           _mm512_cmp_pd_mask(_mm512_loadu_pd(column), threshold, _CMP_LE_OQ));
}

/* sets: the rows that come to each node, of the first 16 * n_parts, which is a constant to the compiler */
WIDE void part_sets(const packed_node_t *nodes, ptrdiff_t n_inner, const double *columns, int n_parts, uint64_t *sets)
{
    sets[0] = ~(uint64_t) 0;
    for (ptrdiff_t node = 0; node < n_inner; node++) {
        const packed_node_t *here = nodes + node;
        const double *column = columns + ROWS_IN_SET * (ptrdiff_t) here->feature;
        __m512d threshold = _mm512_set1_pd(here->threshold);
        __mmask32 low = rows_up_to(column, threshold), high = 0;
        if (n_parts > 1)
            low = _mm512_kunpackw(rows_up_to(column + 16, threshold), low);
        if (n_parts > 2)
            high = rows_up_to(column + 32, threshold);
        if (n_parts > 3)
            high = _mm512_kunpackw(rows_up_to(column + 48, threshold), high);
        uint64_t left = n_parts > 2 ? _mm512_kunpackd(high, low) : low;
        sets[here->child[0]] = sets[node] & left;
        sets[here->child[1]] = sets[node] & ~left;
    }
}

/* leaf[ROWS_IN_SET]: where each of n rows of columns[feature, ROWS_IN_SET] ends, counted from the first leaf. Nodes
   are n_inner others, parents before their children, and then the leaves: n_nodes in all, MOST_NODES at most. */
WIDE_CALL void find_leaves(const packed_node_t *nodes, ptrdiff_t n_inner, ptrdiff_t n_nodes, const double *columns,
                      ptrdiff_t n, uint8_t *leaf)
{
    uint64_t sets[MOST_NODES];
    __m512i found = _mm512_setzero_si512();
    switch ((n + 15) / 16) {
    case 1: part_sets(nodes, n_inner, columns, 1, sets); break;
    case 2: part_sets(nodes, n_inner, columns, 2, sets); break;
    case 3: part_sets(nodes, n_inner, columns, 3, sets); break;
    default: part_sets(nodes, n_inner, columns, 4, sets);
    }
    for (ptrdiff_t node = n_inner; node < n_nodes; node++)
        found = _mm512_mask_set1_epi8(found, sets[node], (char) (node - n_inner));
    _mm512_storeu_si512(leaf, found);
}

#undef WIDE
#undef WIDE_CALL
#else

static inline int has_row_sets(void)
{
    return 0;
}

static inline void find_leaves(const packed_node_t *nodes, ptrdiff_t n_inner, ptrdiff_t n_nodes,
                               const double *columns, ptrdiff_t n, uint8_t *leaf)
{
}

#endif
#endif
