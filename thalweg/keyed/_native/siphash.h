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

/* The last n < 8 bytes of a text as a number. A call of memcpy for so few would take as long as a round. */
static inline uint64_t siphash_tail(const char *text, size_t n, size_t n_all)
{
    uint64_t word = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint32_t low, high;
    if (n_all >= 8 && n) {
        memcpy(&word, text + n - 8, 8);  /* with bytes before them, which are shifted out */
        return word >> 8 * (8 - n);
    }
    if (n >= 4) {
        memcpy(&low, text, 4);
        memcpy(&high, text + n - 4, 4);
        return low | (uint64_t)high << 8 * (n - 4);
    }
#endif
    (void)n_all;
    for (size_t i = 0; i < n; i++)
        word |= (uint64_t)(unsigned char)text[i] << 8 * i;
    return word;
}

/* The hash of n bytes; `kind` tells texts apart that have the same bytes. */
static inline uint64_t siphash(const char *text, size_t n, uint64_t kind, uint64_t key_0, uint64_t key_1)
{
    uint64_t a = key_0 ^ 0x736f6d6570736575ULL, b = key_1 ^ 0x646f72616e646f6dULL ^ kind;
    uint64_t c = key_0 ^ 0x6c7967656e657261ULL, d = key_1 ^ 0x7465646279746573ULL;
    uint64_t word, last = (uint64_t)n << 56;
    const size_t n_all = n;
    while (n >= 8) {
        memcpy(&word, text, 8);
        d ^= word;
        ROUND(a, b, c, d);
        a ^= word;
        text += 8;
        n -= 8;
    }
    last |= siphash_tail(text, n, n_all);
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
