/* Included by newton.h once for each width of vectors (WIDTH bytes). */

#define VECTOR NAMED(vector_t)

typedef double VECTOR __attribute__((vector_size(WIDTH), aligned(8), may_alias));

TARGET static double
NAMED(add_information)(double *inverse, ptrdiff_t n, const double *gap, double w, double factor, double *product)
{
    const ptrdiff_t stride = (n + LANES - 1) / LANES * LANES, n_parts = stride * 8 / WIDTH;
    VECTOR *v = (VECTOR *) product;
    double inner = 0.0, share = 0.0;
    for (ptrdiff_t part = 0; part < n_parts; part++) {
        VECTOR sum = {0};
        for (ptrdiff_t m = 0; m < n; m++)
            sum += ((const VECTOR *) (inverse + m * stride))[part] * gap[m];
        v[part] = sum * factor;
    }
    for (ptrdiff_t j = 0; j < n; j++)
        inner += product[j] * gap[j];
    if (inner > 0.0)
        share = w / (1.0 + w * inner);
    for (ptrdiff_t j = 0; j < n; j++) {
        VECTOR *row = (VECTOR *) (inverse + j * stride);
        for (ptrdiff_t part = 0; part < n_parts; part++)
            row[part] = factor * row[part] - share * (product[j] * v[part]);
    }
    return 1.0 - share * inner;
}

#undef VECTOR
#undef NAMED
#undef TARGET
#undef WIDTH
