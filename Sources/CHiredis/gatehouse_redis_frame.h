// SPDX-License-Identifier: Apache-2.0
//
// Looks at what a server sends before a reader takes memory for what it announces: `*2147483647` is eleven bytes long.

#ifndef GATEHOUSE_REDIS_FRAME_H
#define GATEHOUSE_REDIS_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What one answer may have. Its parts are in arrays of which so many are in one another at most: libhiredis 0.14 reads 7.
enum {
    gatehouse_redis_most_bytes = 256 << 20,
    gatehouse_redis_most_elements = 1 << 20,
    gatehouse_redis_most_depth = 6,
    gatehouse_redis_most_line = 64 << 10,
};

// Where in an answer a connection is.
struct gatehouse_redis_frame {
    // How much of this answer has come, and how many elements it has announced.
    size_t bytes, elements;
    // How many arrays are open, and how many elements each of them still lacks.
    int depth;
    size_t lacking[gatehouse_redis_most_depth];
    // How many bytes of a text are still to come, with its end.
    size_t text;
    // The line that is read: its first character, 0 between two lines, how much of it has come, and whether its end has begun.
    char kind;
    size_t line;
    bool is_ending;
    // The number in it so far.
    bool is_negative, has_digits;
    int64_t number;
};

// What is wrong with an answer.
enum gatehouse_redis_frame_fault {
    gatehouse_redis_framed,
    // It is not in the words of the protocol.
    gatehouse_redis_unframed,
    // It has more than one may have.
    gatehouse_redis_oversized,
};

// Looks at the next bytes.
enum gatehouse_redis_frame_fault gatehouse_redis_frame_take(struct gatehouse_redis_frame *frame, const char *bytes, size_t count);

#endif
