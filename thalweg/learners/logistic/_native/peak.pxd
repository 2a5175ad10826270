# The peak of a Gaussian times a logistic likelihood: t = z + size q with q = logistic(-t).

from libc.math cimport fabs

from thalweg._native.maths cimport logistic


cdef inline double nearer(double t, double z, double size, double q) noexcept nogil:
    # One step of Halley's method.
    cdef double miss = t - z - size * q, bend = size * q * (1.0 - q), slope = 1.0 + bend
    return t - 2.0 * miss * slope / (2.0 * slope * slope - miss * bend * (2.0 * q - 1.0))


cdef inline bint is_near(double way, double size) noexcept nogil:
    # Whether a step as long as `way` leaves an error below 1e-14.
    return (0.03 + 0.003 * size) * size * fabs(way * way * way) <= 1e-14


cdef inline double refined(double t, double z, double size) noexcept nogil:
    # Steps to the end, kept within a bracket.
    cdef double q, last, low = z, high = z + size
    cdef int _round
    for _round in range(60):
        q, last = logistic(-t), t
        if t - z > size * q:
            high = t
        else:
            low = t
        t = nearer(t, z, size, q)
        if not low <= t <= high:
            t = 0.5 * (low + high)
        elif is_near(t - last, size):
            break
    return t
