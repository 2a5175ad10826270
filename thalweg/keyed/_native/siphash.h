/* SipHash-1-3 (Aumasson, Bernstein 2012): a hash with a key of 128 bits. Who does not know the key cannot
   choose texts whose hashes are equal. */

#ifndef THALWEG_SIPHASH_H
#define THALWEG_SIPHASH_H

#include <stdint.h>
#include <string.h>

#define ROTATED(x, n) (((x) << (n)) | ((x) >> (64 - (n))))
#define ROUND(a, b, c, d)                                                                                     \
    do {                                                                                                       \
        a += b; c += d; b = ROTATED(b, 13) ^ a; d = ROTATED(d, 16) ^ c; a = ROTATED(a, 32);                    \
        c += b; a += d; b = ROTATED(b, 17) ^ c; d = ROTATED(d, 21) ^ a; c = ROTATED(c, 32);                    \
    } while (0)

/* The hash of n bytes; `kind` tells texts apart that have the same bytes. */
static inline uint64_t siphash(const char *text, size_t n, uint64_t kind, uint64_t key_0, uint64_t key_1)
{
    uint64_t a = key_0 ^ 0x736f6d6570736575ULL, b = key_1 ^ 0x646f72616e646f6dULL ^ kind;
    uint64_t c = key_0 ^ 0x6c7967656e657261ULL, d = key_1 ^ 0x7465646279746573ULL;
    uint64_t word, last = (uint64_t)n << 56;
    while (n >= 8) {
        memcpy(&word, text, 8);
        d ^= word;
        ROUND(a, b, c, d);
        a ^= word;
        text += 8;
        n -= 8;
    }
    word = 0;
    memcpy(&word, text, n);
    last |= word;
    d ^= last;
    ROUND(a, b, c, d);
    a ^= last;
    c ^= 0xff;
    ROUND(a, b, c, d);
    ROUND(a, b, c, d);
    ROUND(a, b, c, d);
    return a ^ b ^ c ^ d;
}

#undef ROUND
#undef ROTATED

#endif
