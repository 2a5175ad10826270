/* The functions of logit_lanes.h, included once for each width of vectors (WIDTH bytes). The last vector of the lanes
   ends with them and may overlap the one before. */

#define LANES (WIDTH > 16 ? 4 : 2)
#define VECTOR NAMED(logit_vector_t)
#define MASK NAMED(logit_mask_t)
#define INNER TARGET static inline __attribute__((always_inline))
#define OF(pointer) (*(const VECTOR *) ((pointer) + k))
#define INTO(pointer) (*(VECTOR *) ((pointer) + k))
/* with the vector from lane k on */
#define EACH_VECTOR(n)                                                                                                 \
    for (ptrdiff_t left = (n), k; k = (n) - (left > LANES ? left : LANES), left > 0; left -= LANES)

typedef double VECTOR __attribute__((vector_size(LANES * 8), aligned(8), may_alias));
typedef int64_t MASK __attribute__((vector_size(LANES * 8), aligned(8), may_alias));

#include "thalweg/_native/vector_maths.h"

INNER int NAMED(all)(MASK condition)
{
    int64_t each = condition[0];
    for (int lane = 1; lane < LANES; lane++)
        each &= condition[lane];
    return each != 0;
}

INNER VECTOR NAMED(size_of)(VECTOR x)
{
    return NAMED(select)(x < 0.0, -x, x);
}

/* exp(x) of x up to 0; 0 from where it is next to nothing */
INNER VECTOR NAMED(exp_to_0)(VECTOR x)
{
    VECTOR zero = {0};
    MASK far = x < -700.0;
    return NAMED(select)(far, zero, NAMED(exp_below_0)(NAMED(select)(far, zero, x)));
}

INNER VECTOR NAMED(logistic)(VECTOR z)
{
    VECTOR zero = {0}, u = NAMED(exp_to_0)(-NAMED(size_of)(z));
    return NAMED(select)(z >= 0.0, zero + 1.0, u) / (1.0 + u);
}

TARGET static void NAMED(exponentials)(double *x, ptrdiff_t n)
{
    VECTOR last = NAMED(exp_to_0)(*(const VECTOR *) (x + n - LANES));
    for (ptrdiff_t k = 0; k < n - LANES; k += LANES)
        INTO(x) = NAMED(exp_to_0)(OF(x));
    *(VECTOR *) (x + n - LANES) = last;
}

TARGET static void NAMED(logistics)(const double *z, double *q, ptrdiff_t n)
{
    EACH_VECTOR(n)
        INTO(q) = NAMED(logistic)(OF(z));
}

/* Of peak.pxd: one step of Halley's method, */
INNER VECTOR NAMED(nearer)(VECTOR t, VECTOR z, VECTOR size, VECTOR q)
{
    VECTOR miss = t - z - size * q, bend = size * q * (1.0 - q), slope = 1.0 + bend;
    return t - 2.0 * miss * slope / (2.0 * slope * slope - miss * bend * (2.0 * q - 1.0));
}

/* whether it was short enough to be the last one, */
INNER MASK NAMED(is_near)(VECTOR way, VECTOR size)
{
    return (0.03 + 0.003 * size) * size * NAMED(size_of)(way * way * way) <= 1e-14;
}

/* and steps to the end from t on, in the lanes that are not done, kept within a bracket. */
TARGET static VECTOR NAMED(refined)(VECTOR t, VECTOR z, VECTOR size, MASK done)
{
    VECTOR low = z, high = z + size;
    for (int round = 0; round < MOST_ROUNDS && !NAMED(all)(done); round++) {
        VECTOR q = NAMED(logistic)(-t), next = NAMED(nearer)(t, z, size, q);
        MASK above = t - z > size * q, inside;
        high = NAMED(select)(above, t, high);
        low = NAMED(select)(above, low, t);
        inside = (low <= next) & (next <= high);
        next = NAMED(select)(inside, next, 0.5 * (low + high));
        inside &= NAMED(is_near)(next - t, size);
        t = NAMED(select)(done, t, next);
        done |= inside;
    }
    return t;
}

/* The peak t = z + size logistic(-t); q is logistic(-z). Two steps are mostly enough. */
INNER VECTOR NAMED(peak)(VECTOR z, VECTOR size, VECTOR q)
{
    VECTOR zero = {0}, top = z + size, first = NAMED(nearer)(z, z, size, q), t;
    MASK done, inside, middle = (z < 0.0) & (top > 0.0) & (size > 4.0);
    first = NAMED(select)(first < z, z, first);
    first = NAMED(select)(first > top, top, first);
    t = NAMED(nearer)(first, z, size, NAMED(logistic)(-first));
    inside = (z <= t) & (t <= top);
    done = NAMED(is_near)(t - first, size) & inside;
    if (NAMED(all)(done))
        return t;
    first = NAMED(select)(middle, zero, NAMED(select)(inside, t, first));
    return NAMED(refined)(NAMED(select)(done, t, first), z, size, done);
}

/* log q/(1 - q), within bounds that leave a number whose logarithm can be taken */
INNER VECTOR NAMED(log_odds)(VECTOR q)
{
    VECTOR zero = {0}, odds = q / (1.0 - q);
    odds = NAMED(select)(odds > 1e-300, odds, zero + 1e-300);
    return NAMED(log_from_1)(NAMED(select)(odds < 1e300, odds, zero + 1e300));
}

TARGET static void NAMED(step)(const logit_lanes_t *s)
{
    const double v = s->weight;
    EACH_VECTOR(s->n) {
        VECTOR zero = {0}, one = zero + 1.0, q = OF(s->q), sign = OF(s->sign), z = OF(s->z), size, past, t;
        MASK own = sign > 0.0;
        INTO(s->e) = v * (NAMED(select)(own, one, zero) - q);                           /* (1) */
        if (s->tuned) {
            VECTOR least = OF(s->least);
            INTO(s->decay) = least + (1.0 - least) * NAMED(exp_to_0)(-s->bandwidth * (q * (1.0 - q)));  /* (4) */
        }
        past = OF(s->decay);
        INTO(s->past) = past;
        INTO(s->up) = 1.0 / past;
        size = v * OF(s->size) * OF(s->up);
        if (s->several) {
            z = NAMED(log_odds)(q);
            z = NAMED(select)(z < s->steepest, z, zero + s->steepest);
            z = NAMED(select)(z > -s->steepest, z, zero - s->steepest);
        }
        z *= sign;
        t = NAMED(peak)(z, size, NAMED(select)(own, 1.0 - q, q));
        own = size > 1e-3;
        q = (t - z) / size;                                                             /* (3) */
        if (!NAMED(all)(own))
            q = NAMED(select)(own, q, NAMED(logistic)(-t));
        INTO(s->a) = v * q * (1.0 - q);
        INTO(s->moved) = v * q * sign;
    }
}

#undef EACH_VECTOR
#undef INTO
#undef OF
#undef INNER
#undef MASK
#undef VECTOR
#undef LANES
#undef NAMED
#undef TARGET
#undef WIDTH
