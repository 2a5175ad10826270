/* Exponentials and logarithms of vectors, the same numbers for every width. Included by a file that vectors.h includes,
   once for each width, after it has defined VECTOR and MASK, vectors of WIDTH bytes or fewer. */

/* The polynomial of degree 15 with these coefficients, in four chains that do not wait for each other. */
TARGET static inline __attribute__((always_inline)) VECTOR
NAMED(polynomial)(const double *c, VECTOR x)
{
    VECTOR square = x * x, fourth = square * square, sum[4] = {{0}, {0}, {0}, {0}};
    for (int k = 12; k >= 0; k -= 4)
        for (int j = 0; j < 4; j++)
            sum[j] = sum[j] * fourth + c[k + j];
    return (sum[0] + x * sum[1]) + square * (sum[2] + x * sum[3]);
}

/* exp(x) for x from -700 to 0: x = n log 2 + r, a polynomial in r, and n added to the exponent. */
TARGET static inline __attribute__((always_inline)) VECTOR
NAMED(exp_below_0)(VECTOR x)
{
    static const double inverse[16] = {
        1.0, 1.0, 0.5, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
        1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800,
    };
    VECTOR shift = {0}, one = {0}, shifted, n, r;
    shift += 6755399441055744.0;
    one += 1.0;
    shifted = x * 1.4426950408889634 + shift;
    n = shifted - shift;
    r = x - n * 0.693147180369123816490 - n * 1.90821492927058770002e-10;
    return NAMED(polynomial)(inverse, r) * (VECTOR) (((MASK) shifted << 52) + (MASK) one);
}

/* log(1 + e) for e from 0 to 1, by the series of 2 artanh(e/(2 + e)). */
TARGET static inline __attribute__((always_inline)) VECTOR
NAMED(log_above_1)(VECTOR e)
{
    static const double inverse[16] = {
        1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21,
        1.0 / 23, 1.0 / 25, 1.0 / 27, 1.0 / 29, 1.0 / 31,
    };
    VECTOR s = e / (e + 2.0);
    return 2.0 * s * NAMED(polynomial)(inverse, s * s);
}

TARGET static inline __attribute__((always_inline)) VECTOR
NAMED(select)(MASK condition, VECTOR a, VECTOR b)
{
    return (VECTOR) ((condition & (MASK) a) | (~condition & (MASK) b));
}

/* log(x) for x from 1 on: x = 2^n (1 + e). */
TARGET static inline __attribute__((always_inline)) VECTOR
NAMED(log_from_1)(VECTOR x)
{
    VECTOR zero = {0}, shift = zero + 4503599627370496.0, n, rest;
    n = (VECTOR) ((((MASK) x >> 52) & 0x7ff) | (MASK) shift) - shift - 1023.0;
    rest = (VECTOR) (((MASK) x & 0xfffffffffffff) | (MASK) (zero + 1.0));
    return n * 0.69314718055994530942 + NAMED(log_above_1)(rest - 1.0);
}
