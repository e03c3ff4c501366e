// SPDX-License-Identifier: Apache-2.0

#include "gatehouse_sha256.h"

#include <string.h>

/// The first 32 bits after the point of the cube roots of the first 64 primes.
static const uint32_t constants[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/// Rotates a word's bits to the right.
static uint32_t rotated(uint32_t word, int count) { return word >> count | word << (32 - count); }

/// Folds blocks on any processor.
///
/// The unrolled rounds keep the working variables and the last 16 words of the message schedule in registers.
static void compress_portably(uint32_t state[8], const uint8_t *block, size_t count) {
    for (size_t index = 0; index < count; index++, block += 64) {
        uint32_t words[16];
        uint32_t v[8];
        memcpy(v, state, sizeof v);
#pragma clang loop unroll(full)
        for (int round = 0; round < 64; round++) {
            uint32_t word;
            if (round < 16) {
                const uint8_t *bytes = block + round * 4;
                word = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
            } else {
                const uint32_t early = words[(round + 1) & 15];
                const uint32_t late = words[(round + 14) & 15];
                word = words[round & 15] + words[(round + 9) & 15];
                word += rotated(early, 7) ^ rotated(early, 18) ^ early >> 3;
                word += rotated(late, 17) ^ rotated(late, 19) ^ late >> 10;
            }
            words[round & 15] = word;
            // The working variables a to h change places instead of being moved.
            const uint32_t a = v[-round & 7];
            const uint32_t b = v[(1 - round) & 7];
            const uint32_t c = v[(2 - round) & 7];
            const uint32_t e = v[(4 - round) & 7];
            const uint32_t f = v[(5 - round) & 7];
            const uint32_t g = v[(6 - round) & 7];
            const uint32_t first = v[(7 - round) & 7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) +
                                   (g ^ (e & (f ^ g))) + constants[round] + word;
            v[(3 - round) & 7] += first;
            v[(7 - round) & 7] =
                first + (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) | (c & (a | b)));
        }
        for (int place = 0; place < 8; place++) { state[place] += v[place]; }
    }
}

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>

/// Asks the processor for the three sets of instructions that the function below uses.
static bool ask_processor(void) {
    unsigned int a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0) { return false; }
    const bool has_shuffles = (c & bit_SSSE3) != 0 && (c & bit_SSE4_1) != 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) { return false; }
    return has_shuffles && (b & bit_SHA) != 0;
}

/// Whether the processor has the instructions; the same answer for the life of the process.
static bool is_supported(void) {
    // 0 for not asked yet, 1 for no, 2 for yes; asking twice does no harm.
    static atomic_int answer;
    int known = atomic_load_explicit(&answer, memory_order_relaxed);
    if (known == 0) {
        known = ask_processor() ? 2 : 1;
        atomic_store_explicit(&answer, known, memory_order_relaxed);
    }
    return known == 2;
}

/// Folds blocks with the processor's own instructions.
__attribute__((target("sha,ssse3,sse4.1"))) static void
compress_natively(uint32_t state[8], const uint8_t *block, size_t count) {
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
    // The instructions want the words a, b, e, f in one register and c, d, g, h in the other, the first on top.
    const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)&state[0]), 0xb1);
    const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)&state[4]), 0x1b);
    __m128i abef = _mm_alignr_epi8(badc, hgfe, 8);
    __m128i cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);

    for (size_t index = 0; index < count; index++, block += 64) {
        const __m128i old_abef = abef;
        const __m128i old_cdgh = cdgh;
        // The last 16 words of the message schedule, four in each register.
        __m128i words[4];
#pragma clang loop unroll(full)
        for (int group = 0; group < 16; group++) {
            __m128i next;
            if (group < 4) {
                next = _mm_loadu_si128((const __m128i *)(block + group * 16));
                next = _mm_shuffle_epi8(next, big_endian);
            } else {
                const __m128i last = words[(group + 3) & 3];
                next = _mm_sha256msg1_epu32(words[group & 3], words[(group + 1) & 3]);
                next = _mm_add_epi32(next, _mm_alignr_epi8(last, words[(group + 2) & 3], 4));
                next = _mm_sha256msg2_epu32(next, last);
            }
            words[group & 3] = next;
            const __m128i sum =
                _mm_add_epi32(next, _mm_load_si128((const __m128i *)&constants[group * 4]));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
        }
        abef = _mm_add_epi32(abef, old_abef);
        cdgh = _mm_add_epi32(cdgh, old_cdgh);
    }

    const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
    const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)&state[0], _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)&state[4], _mm_alignr_epi8(dchg, feba, 8));
}

#else

static bool is_supported(void) { return false; }

static void compress_natively(uint32_t state[8], const uint8_t *block, size_t count) {
    compress_portably(state, block, count);
}

#endif

void gatehouse_sha256_compress(uint32_t state[8], const void *blocks, size_t count, bool portably) {
    (portably || !is_supported() ? compress_portably : compress_natively)(state, blocks, count);
}
