"""The random numbers of the kernels in plain Python: number `c` of stream `key` is a hash of both."""

import math

import numpy as np

GOLDEN = 0x9E3779B97F4A7C15
LAST = 2**64 - 1


def key_of(seed):
    """Return the key that a seed stands for."""
    return int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])


def word(key, counter):
    """Return splitmix64's 64 bits after `counter` steps from `key`."""
    z = (key + counter * GOLDEN) & LAST
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & LAST
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & LAST
    return z ^ (z >> 31)


def unit(bits):
    """Return a number in [0, 1) from the upper 53 bits."""
    return (bits >> 11) / 2**53


def poisson(mean, bits):
    """Return a Poisson number: by inversion, from a mean of 100 on a rounded normal number."""
    if mean >= 100:
        return max(math.floor(mean + math.sqrt(mean) * normal(word(bits, 1)) + 0.5), 0)
    k, chance = 0, math.exp(-mean)
    total = chance
    while total <= unit(bits):
        k += 1
        chance *= mean / k
        total += chance
    return k


def layers(right=3.6541528853610088, area=0.00492867323399):
    """Return the right ends of the ziggurat's 256 layers of equal area, from the tail's up to 0."""
    edges = [area / density(right), right]
    for _ in range(254):
        edges.append(math.sqrt(-2 * math.log(area / edges[-1] + density(edges[-1]))))
    return [*edges[:256], 0.0]


def density(x):
    return math.exp(-x * x / 2)


def normal(bits):
    """Return a normal number (Marsaglia and Tsang's ziggurat); bit 8 is the sign of what is accepted."""
    while True:
        layer = bits & 255
        x = unit(bits) * EDGES[layer]
        if x < EDGES[layer + 1]:
            break
        if layer == 0:
            x = tail(bits)
            break
        bits = word(bits, 1)
        low, high = density(EDGES[layer]), density(EDGES[layer + 1])
        if low + unit(bits) * (high - low) < density(x):
            break
        bits = word(bits, 1)
    return -x if bits >> 8 & 1 else x


def tail(bits):
    """Return a number beyond the last layer."""
    while True:
        bits = word(bits, 1)
        beyond = -math.log(1 - unit(bits)) / EDGES[1]
        bits = word(bits, 1)
        if -2 * math.log(1 - unit(bits)) > beyond**2:
            return EDGES[1] + beyond


EDGES = layers()
