# Poisson numbers from random words: by a table where the mean stays, by inversion where it changes.

from libc.math cimport exp, floor, sqrt
from libc.stdint cimport uint64_t

from thalweg._native.rng cimport following, unit, ziggurat_t, normal

cdef enum:
    POISSON_MOST = 127                  # the table's largest number; means up to 50 need no more

ctypedef struct poisson_t:
    double[POISSON_MOST + 1] cumulative     # chance of at most k
    unsigned char[256] first                # least k with cumulative > j/256


cdef inline void fill_poisson(poisson_t* t, double mean) noexcept nogil:
    cdef double chance = exp(-mean), total = 0.0
    cdef int k, j
    for k in range(POISSON_MOST + 1):
        total += chance
        t.cumulative[k] = total
        chance *= mean / (k + 1)
    t.cumulative[POISSON_MOST] = 2.0    # above every u, so that the search ends
    for j in range(256):
        k = 0
        while t.cumulative[k] <= j / 256.0:
            k += 1
        t.first[j] = k


cdef inline double drawn(const poisson_t* t, uint64_t word) noexcept nogil:
    cdef double u = unit(word)
    cdef int k = t.first[word >> 56]
    while t.cumulative[k] <= u:
        k += 1
    return k


cdef inline double poisson(const ziggurat_t* z, double mean, uint64_t word) noexcept nogil:
    # By inversion; from a mean of 100 on a rounded normal, which is close enough there.
    cdef double u, chance, total
    cdef int k = 0
    if mean >= 100:
        u = floor(mean + sqrt(mean) * normal(z, following(word)) + 0.5)
        return u if u > 0 else 0.0
    u = unit(word)
    chance = exp(-mean)
    total = chance
    while total <= u and k < 1000:
        k += 1
        chance *= mean / k
        total += chance
    return k
