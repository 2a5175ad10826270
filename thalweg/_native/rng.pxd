# Random numbers by counting: number c of stream `key` is a hash of both, so any of them can be drawn at any
# time, in any order, on any thread. The whole state is the key and the counter.
#
#     bits(key, c) = mix(key + c G)                                splitmix64 (Steele, Lea, Flood 2014)
#     normal: 256 layers of equal area (Marsaglia, Tsang 2000); a rejected draw goes on to mix(bits + G)

from libc.math cimport exp, log, sqrt
from libc.stdint cimport int64_t, uint64_t

cdef extern from *:
    """
    static inline uint64_t multiply_high(uint64_t a, uint64_t b) {
        return (uint64_t) (((unsigned __int128) a * b) >> 64);
    }
    """
    uint64_t multiply_high(uint64_t a, uint64_t b) noexcept nogil

ctypedef struct ziggurat_t:
    double[257] edge        # edge[i]: right end of layer i, falling to edge[256] = 0
    double[257] height      # exp(-edge²/2)


cdef inline uint64_t mix(uint64_t z) noexcept nogil:
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL
    return z ^ (z >> 31)


cdef inline uint64_t bits(uint64_t key, uint64_t counter) noexcept nogil:
    return mix(key + counter * 0x9e3779b97f4a7c15ULL)


cdef inline uint64_t following(uint64_t word) noexcept nogil:
    return bits(word, 1)


cdef inline double unit(uint64_t word) noexcept nogil:
    # In [0, 1), from the upper 53 bits.
    return <double> <int64_t> (word >> 11) * (1.0 / 9007199254740992.0)


cdef inline double next_unit(uint64_t* state) noexcept nogil:
    # The next number in [0, 1) of the generator splitmix64, whose state is one word.
    state[0] += 0x9e3779b97f4a7c15ULL
    return unit(mix(state[0]))


cdef inline uint64_t below(uint64_t word, uint64_t n) noexcept nogil:
    # One of 0 … n - 1.
    return multiply_high(word, n)


cdef inline void fill_ziggurat(ziggurat_t* z) noexcept nogil:
    cdef double right = 3.6541528853610088, area = 0.00492867323399
    cdef int i
    z.edge[0] = area / exp(-0.5 * right * right)
    z.edge[1] = right
    for i in range(1, 255):
        z.edge[i + 1] = sqrt(-2.0 * log(area / z.edge[i] + exp(-0.5 * z.edge[i] * z.edge[i])))
    z.edge[256] = 0.0
    for i in range(257):
        z.height[i] = exp(-0.5 * z.edge[i] * z.edge[i])


cdef inline double normal(const ziggurat_t* z, uint64_t word) noexcept nogil:
    cdef int i = word & 255
    cdef double value = unit(word) * z.edge[i]
    if value >= z.edge[i + 1]:
        value = unlikely_normal(z, &word)
    return value * (1.0 - <double> <int64_t> (word >> 7 & 2))  # a branch would be guessed wrong half the time


cdef inline double unlikely_normal(const ziggurat_t* z, uint64_t* word) noexcept nogil:
    # The tail beyond edge[1], the wedges between layer and curve, and further tries.
    cdef int i
    cdef double value, a, b
    cdef uint64_t other
    while True:
        i = word[0] & 255
        value = unit(word[0]) * z.edge[i]
        if value < z.edge[i + 1]:
            return value
        if i == 0:
            other = word[0]
            while True:
                other = following(other)
                a = -log(1.0 - unit(other)) / z.edge[1]
                other = following(other)
                b = -log(1.0 - unit(other))
                if b + b > a * a:
                    return z.edge[1] + a
        word[0] = following(word[0])
        if z.height[i] + unit(word[0]) * (z.height[i + 1] - z.height[i]) < exp(-0.5 * value * value):
            return value
        word[0] = following(word[0])
