// SPDX-License-Identifier: Apache-2.0
//
// Reads the answers of a server from its bytes, in place: an answer is an array of elements that point into them. Nothing
// that a server announces is taken for granted: `*2147483647` is eleven bytes long.

#ifndef GATEHOUSE_REDIS_READER_H
#define GATEHOUSE_REDIS_READER_H

#include "gatehouse_redis.h"

// The limits of one answer. The depth counts arrays nested in one another.
enum {
    gatehouse_redis_most_bytes = 256 << 20,
    gatehouse_redis_most_elements = 1 << 20,
    gatehouse_redis_most_depth = 6,
    gatehouse_redis_most_line = 64 << 10,
};

// One element of an answer.
struct gatehouse_redis_reply {
    enum gatehouse_redis_kind kind;
    // The value of an integer, the length of a text, the number of elements of an array.
    long long number;
    union {
        // The start of a text, counted from that of the answer until the answer is whole.
        size_t place;
        const char *bytes;
        // The first element of an array, counted from the array itself; the others follow it.
        size_t first;
    };
};

// The received bytes of a connection, and the position in them; zeros for an empty one.
struct gatehouse_redis_reader {
    // The bytes, their number, and the number that fits.
    char *bytes;
    size_t count, room;
    // The start of the current answer, and the end of what has been read of it.
    size_t start, taken;
    // The elements of the current answer that have been announced, the answer itself first; and the number that fits.
    gatehouse_redis_reply *elements;
    size_t announced, capacity;
    // The open arrays: the next element of each, and the end of its elements.
    int depth;
    struct {
        size_t next, end;
    } open[gatehouse_redis_most_depth];
};

// The result of reading.
enum gatehouse_redis_step {
    // The answer is whole.
    gatehouse_redis_whole,
    // More bytes must be received.
    gatehouse_redis_lacking,
    // The bytes violate the protocol.
    gatehouse_redis_unframed,
    // The answer exceeds a limit.
    gatehouse_redis_oversized,
    gatehouse_redis_exhausted,
};

// Makes room for `count` more bytes after the received ones; false when there is no memory.
bool gatehouse_redis_reader_reserve(struct gatehouse_redis_reader *reader, size_t count);
// Reads the next answer, which is valid until the next call about the reader.
enum gatehouse_redis_step gatehouse_redis_reader_next(struct gatehouse_redis_reader *reader, const gatehouse_redis_reply **reply);
// Frees the memory of a reader.
void gatehouse_redis_reader_free(struct gatehouse_redis_reader *reader);

#endif
