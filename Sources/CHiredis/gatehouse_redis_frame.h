// SPDX-License-Identifier: Apache-2.0
//
// Checks a server's bytes before a reader allocates what they announce: `*2147483647` is eleven bytes long.

#ifndef GATEHOUSE_REDIS_FRAME_H
#define GATEHOUSE_REDIS_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The limits of one answer. The depth counts arrays nested in one another: libhiredis 0.14 reads 7.
enum {
    gatehouse_redis_most_bytes = 256 << 20,
    gatehouse_redis_most_elements = 1 << 20,
    gatehouse_redis_most_depth = 6,
    gatehouse_redis_most_line = 64 << 10,
};

// The position of a connection in an answer.
struct gatehouse_redis_frame {
    // The received bytes of this answer, and the elements that it has announced.
    size_t bytes, elements;
    // The number of open arrays, and the number of elements that each of them still lacks.
    int depth;
    size_t lacking[gatehouse_redis_most_depth];
    // The number of bytes of a text still to come, including its end.
    size_t text;
    // The current line: its first character, 0 between two lines, its length so far, and whether its end has begun.
    char kind;
    size_t line;
    bool is_ending;
    // The number in the line so far.
    bool is_negative, has_digits;
    int64_t number;
};

// A violation by an answer.
enum gatehouse_redis_frame_fault {
    gatehouse_redis_framed,
    // It violates the protocol.
    gatehouse_redis_unframed,
    // It exceeds a limit.
    gatehouse_redis_oversized,
};

// Checks the next bytes.
enum gatehouse_redis_frame_fault gatehouse_redis_frame_take(struct gatehouse_redis_frame *frame, const char *bytes, size_t count);

#endif
