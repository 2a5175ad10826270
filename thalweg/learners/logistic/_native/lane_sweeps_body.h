/* The sweeps, included by lane_sweeps.h once for each width of vectors (WIDTH bytes). Lanes are cut into parts of at
   most MOST_VECTORS vectors, whose operands stay in registers. The last vector of a part ends with it and may overlap
   the one before: all are read before any is written, so that lanes in both are written twice, the same. */

#define LANES (WIDTH > 16 ? 4 : 2)
#define MOST_VECTORS 4
#define VECTOR NAMED(lane_vector_t)
#define INNER TARGET static inline __attribute__((always_inline))
#define EACH for (int v = 0; v < n_vectors; v++)
#define AT(pointer) ((VECTOR *) ((pointer) + (v < n_vectors - 1 ? v * LANES : last)))
#define OF(pointer) (*(const VECTOR *) AT(pointer))

typedef double VECTOR __attribute__((vector_size(LANES * 8), aligned(8), may_alias));

/* How many of the lanes that are left come next; they leave a whole vector, or nothing. */
INNER ptrdiff_t NAMED(part_of)(ptrdiff_t left)
{
    ptrdiff_t most = LANES * MOST_VECTORS;
    return left <= most ? left : left < most + LANES ? most - LANES : most;
}

/* CALL with n_vectors a constant, for the lanes from `first` on that end with `last` + LANES */
#define FOR_PARTS(CALL)                                                                                                \
    for (ptrdiff_t first = 0, last; first < n; first += last + LANES) {                                                \
        last = NAMED(part_of)(n - first) - LANES;                                                                      \
        switch ((last + LANES - 1) / LANES + 1) {                                                                      \
        case 1:                                                                                                        \
            CALL(1);                                                                                                   \
            break;                                                                                                     \
        case 2:                                                                                                        \
            CALL(2);                                                                                                   \
            break;                                                                                                     \
        case 3:                                                                                                        \
            CALL(3);                                                                                                   \
            break;                                                                                                     \
        default:                                                                                                       \
            CALL(4);                                                                                                   \
        }                                                                                                              \
    }

INNER void NAMED(dots_part)(const double *a, const double *x, double *out, ptrdiff_t d, ptrdiff_t n, ptrdiff_t last,
                            int n_vectors)
{
    VECTOR sum[MOST_VECTORS] = {{0}};
    for (ptrdiff_t j = 0; j < d; j++)
        EACH sum[v] += OF(a + j * n) * x[j];
    EACH *AT(out) = sum[v];
}

TARGET static void NAMED(dots)(const double *a, const double *x, double *out, ptrdiff_t d, ptrdiff_t n)
{
#define CALL(n_vectors) NAMED(dots_part)(a + first, x, out + first, d, n, last, n_vectors)
    FOR_PARTS(CALL)
#undef CALL
}

/* What rows i and i + 1 of a matrix add to the entries up to i + 1 of a product, and what they begin these two with */
INNER void NAMED(times_rows)(const double *row, const double *x, double *out, ptrdiff_t i, ptrdiff_t n,
                             ptrdiff_t last, int n_vectors)
{
    VECTOR sum[MOST_VECTORS] = {{0}}, next[MOST_VECTORS] = {{0}}, added[MOST_VECTORS];
    const double *below = row + (i + 1) * n;
    const double own = x[i], after = x[i + 1];
    for (ptrdiff_t j = 0; j < i; j++, row += n, below += n, out += n) {
        EACH {
            VECTOR one = OF(row), two = OF(below);
            sum[v] += one * x[j];
            next[v] += two * x[j];
            added[v] = OF(out) + one * own + two * after;
        }
        EACH *AT(out) = added[v];
    }
    EACH {
        sum[v] = sum[v] + OF(row) * own + OF(below) * after;
        next[v] = next[v] + OF(below) * own + OF(below + n) * after;
    }
    EACH *AT(out) = sum[v];
    EACH *AT(out + n) = next[v];
}

/* The same of row i alone */
INNER void NAMED(times_row)(const double *row, const double *x, double *out, ptrdiff_t i, ptrdiff_t n, ptrdiff_t last,
                            int n_vectors)
{
    VECTOR sum[MOST_VECTORS] = {{0}}, added[MOST_VECTORS];
    const double own = x[i];
    for (ptrdiff_t j = 0; j < i; j++, row += n, out += n) {
        EACH {
            VECTOR entry = OF(row);
            sum[v] += entry * x[j];
            added[v] = OF(out) + entry * own;
        }
        EACH *AT(out) = added[v];
    }
    EACH sum[v] += OF(row) * own;
    EACH *AT(out) = sum[v];
}

TARGET static void NAMED(times)(const double *A, const double *x, double *out, ptrdiff_t d, ptrdiff_t n)
{
#define TWO(n_vectors) NAMED(times_rows)(A + first, x, out + first, i, n, last, n_vectors)
#define ONE(n_vectors) NAMED(times_row)(A + first, x, out + first, i, n, last, n_vectors)
    ptrdiff_t i = 0;
    for (; i + 2 <= d; i += 2) {
        FOR_PARTS(TWO)
        A += (2 * i + 3) * n;
    }
    if (i < d)
        FOR_PARTS(ONE)
#undef TWO
#undef ONE
}

INNER void NAMED(scale_part)(double *a, const double *factor, ptrdiff_t d, ptrdiff_t n, ptrdiff_t last, int n_vectors)
{
    VECTOR by[MOST_VECTORS], product[MOST_VECTORS];
    EACH by[v] = OF(factor);
    for (ptrdiff_t j = 0; j < d; j++, a += n) {
        EACH product[v] = OF(a) * by[v];
        EACH *AT(a) = product[v];
    }
}

TARGET static void NAMED(scale)(double *a, const double *factor, ptrdiff_t d, ptrdiff_t n)
{
#define CALL(n_vectors) NAMED(scale_part)(a + first, factor + first, d, n, last, n_vectors)
    FOR_PARTS(CALL)
#undef CALL
}

INNER void NAMED(move_part)(double *a, const double *b, const double *factor, double *total, ptrdiff_t d, ptrdiff_t n,
                            ptrdiff_t last, int n_vectors)
{
    VECTOR by[MOST_VECTORS], sum[MOST_VECTORS], moved[MOST_VECTORS];
    EACH {
        by[v] = OF(factor);
        sum[v] = OF(total);
    }
    for (ptrdiff_t j = 0; j < d; j++, a += n, b += n) {
        EACH {
            moved[v] = OF(a) + by[v] * OF(b);
            sum[v] += moved[v];
        }
        EACH *AT(a) = moved[v];
    }
    EACH *AT(total) = sum[v];
}

TARGET static void NAMED(move)(double *a, const double *b, const double *factor, double *total, ptrdiff_t d,
                               ptrdiff_t n)
{
#define CALL(n_vectors) NAMED(move_part)(a + first, b + first, factor + first, total + first, d, n, last, n_vectors)
    FOR_PARTS(CALL)
#undef CALL
}

INNER void NAMED(column_part)(const double *A, const double *g, const double *up, double *out, ptrdiff_t i,
                              ptrdiff_t d, ptrdiff_t n, ptrdiff_t last, int n_vectors)
{
    VECTOR by[MOST_VECTORS], own[MOST_VECTORS], entry[MOST_VECTORS];
    EACH {
        by[v] = OF(up);
        own[v] = OF(g + i * n);
    }
    A += i * (i + 1) / 2 * n;
    for (ptrdiff_t j = 0; j < d; j++) {
        EACH entry[v] = (OF(A) - own[v] * OF(g + j * n)) * by[v];
        EACH *AT(out + j * n) = entry[v];
        A += (j < i ? 1 : j + 1) * n;
    }
}

TARGET static void NAMED(column)(const double *A, const double *g, const double *up, double *out, ptrdiff_t i,
                                 ptrdiff_t d, ptrdiff_t n)
{
#define CALL(n_vectors) NAMED(column_part)(A + first, g + first, up + first, out + first, i, d, n, last, n_vectors)
    FOR_PARTS(CALL)
#undef CALL
}

INNER void NAMED(discount_row)(double *row, const double *g, const double *h, const double *up, ptrdiff_t i,
                               ptrdiff_t n, ptrdiff_t last, int n_vectors)
{
    VECTOR by[MOST_VECTORS], one[MOST_VECTORS], two[MOST_VECTORS], entry[MOST_VECTORS];
    EACH {
        by[v] = OF(up);
        one[v] = OF(g + i * n);
        two[v] = OF(h + i * n);
    }
    for (ptrdiff_t j = 0; j <= i; j++, row += n, g += n, h += n) {
        EACH entry[v] = (OF(row) - one[v] * OF(g)) * by[v] - two[v] * OF(h);
        EACH *AT(row) = entry[v];
    }
}

TARGET static void NAMED(discount)(double *A, const double *g, const double *h, const double *up, ptrdiff_t d,
                                   ptrdiff_t n)
{
#define CALL(n_vectors) NAMED(discount_row)(A + first, g + first, h + first, up + first, i, n, last, n_vectors)
    for (ptrdiff_t i = 0; i < d; i++) {
        FOR_PARTS(CALL)
        A += (i + 1) * n;
    }
#undef CALL
}

#undef FOR_PARTS
#undef OF
#undef AT
#undef EACH
#undef INNER
#undef VECTOR
#undef MOST_VECTORS
#undef LANES
#undef NAMED
#undef TARGET
#undef WIDTH
