/* Included by window_distance.h once for each width of vectors (WIDTH bytes). */

#define PARTS (WINDOW_TILE * 8 / WIDTH)
#define VECTOR NAMED(vector_t)
#define MASK NAMED(mask_t)

typedef double VECTOR __attribute__((vector_size(WIDTH), aligned(8), may_alias));
typedef int64_t MASK __attribute__((vector_size(WIDTH), aligned(8), may_alias));

/* Add the used inputs' squared differences to what `distance` holds if it is begun, else to 0, and put the
   least distance of each tile beside; places beyond the last row are infinitely far. */
TARGET static void
NAMED(measure)(const window_view_t *w, int begun, double *distance, double *least)
{
    for (ptrdiff_t t = 0; t * WINDOW_TILE < w->n_rows; t++) {
        const double *tile = w->tiles + t * w->n_features * WINDOW_TILE;
        VECTOR *out = (VECTOR *) (distance + t * WINDOW_TILE);
        VECTOR sum[PARTS] = {{0}};
        for (int v = 0; begun && v < PARTS; v++)
            sum[v] = out[v];
        for (ptrdiff_t u = 0; u < w->n_used; u++) {
            const VECTOR *column = (const VECTOR *) (tile + w->used[u] * WINDOW_TILE);
            for (int v = 0; v < PARTS; v++) {
                VECTOR off = (w->value[u] - column[v]) * w->inverse[u];
                sum[v] += off * off;
            }
        }
        for (int v = 0; v < PARTS; v++)
            out[v] = sum[v];
        for (ptrdiff_t i = w->n_rows; i < (t + 1) * WINDOW_TILE; i++)
            distance[i] = INFINITY;
        VECTOR low = out[0];
        for (int v = 1; v < PARTS; v++) {
            MASK less = out[v] < low;
            low = (VECTOR) ((less & (MASK) out[v]) | (~less & (MASK) low));
        }
        least[t] = low[0];
        for (int i = 1; i < WIDTH / 8; i++)
            least[t] = low[i] < least[t] ? low[i] : least[t];
    }
}

#undef PARTS
#undef VECTOR
#undef MASK
#undef NAMED
#undef TARGET
#undef WIDTH
