/* Included by border_scores.h once for each width of vectors (WIDTH bytes). */

#define PARTS (BORDERS_AT_ONCE * 4 / WIDTH)
#define VECTOR NAMED(vector_t)
#define COUNTS NAMED(counts_t)

typedef float VECTOR __attribute__((vector_size(WIDTH), aligned(4), may_alias));
typedef int COUNTS __attribute__((vector_size(WIDTH), aligned(4), may_alias));

TARGET static float
NAMED(best_border)(const int *left, const float *inverse, const float *reversed, ptrdiff_t n, float total)
{
    VECTOR most[PARTS] = {{0}};
    for (ptrdiff_t i = 0; i < n; i += BORDERS_AT_ONCE) {
        const COUNTS *counts = (const COUNTS *) (left + i);
        const VECTOR *a = (const VECTOR *) (inverse + i), *b = (const VECTOR *) (reversed + i);
        for (int v = 0; v < PARTS; v++) {
            VECTOR here = __builtin_convertvector(counts[v], VECTOR), there = total - here;
            VECTOR found = here * here * a[v] + there * there * b[v];
            COUNTS more = found > most[v];
            most[v] = (VECTOR) ((more & (COUNTS) found) | (~more & (COUNTS) most[v]));
        }
    }
    float best = 0;
    for (int v = 0; v < PARTS; v++)
        for (int i = 0; i < WIDTH / 4; i++)
            best = most[v][i] > best ? most[v][i] : best;
    return best;
}

#undef PARTS
#undef VECTOR
#undef COUNTS
#undef NAMED
#undef TARGET
#undef WIDTH
