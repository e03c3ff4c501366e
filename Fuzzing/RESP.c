// SPDX-License-Identifier: Apache-2.0
//
// A server may answer anything, in pieces of any size: each answer is read whole, or the connection has a fault with words.

#include "../Sources/CRedis/gatehouse_redis.c"

#include "../Sources/CRedis/gatehouse_redis_reader.c"

#include "promise.h"

// So many bytes of texts and so many elements are read of an input, which can announce far more than it has.
struct tally {
    size_t bytes, elements;
};

// Asks an answer for all that a member asks of one, and of one of another kind.
static void read_whole(const gatehouse_redis_reply *reply, int depth, struct tally *tally) {
    promise(depth <= gatehouse_redis_most_depth, "arrays deeper in one another than the reader lets through");
    size_t length;
    const char *bytes = gatehouse_redis_bytes(reply, &length);
    for (size_t index = 0; bytes != NULL && index < length; index++) tally->bytes += 1 + (bytes[index] == 0);
    gatehouse_redis_number(reply);
    gatehouse_redis_number_at_end(reply);
    size_t count = gatehouse_redis_count(reply);
    promise(gatehouse_redis_element(reply, count) == NULL, "an element behind the last");
    for (size_t index = 0; index < count; index++) {
        tally->elements++;
        struct gatehouse_redis_entry entry;
        if (gatehouse_redis_entry_at(reply, index, &entry)) {
            for (size_t place = 0; entry.action != NULL && place < entry.action_length; place++) {
                tally->bytes += ((const char *)entry.action)[place] == 0;
            }
            for (size_t place = 0; entry.origin != NULL && place < entry.origin_length; place++) {
                tally->bytes += ((const char *)entry.origin)[place] == 0;
            }
        }
        read_whole(gatehouse_redis_element(reply, index), depth + 1, tally);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t count) {
    if (count == 0) return 0;
    size_t piece_size = 1 + input[0];
    input++, count--;
    gatehouse_redis *redis = gatehouse_redis_make();
    struct tally tally = {0};
    size_t place = 0;
    while (place < count && redis->fault.kind == gatehouse_redis_sound) {
        size_t part = count - place < piece_size ? count - place : piece_size;
        // Room for this piece and no more, so that nothing after it is read without being seen.
        struct gatehouse_redis_reader *reader = &redis->reader;
        promise(gatehouse_redis_reader_reserve(reader, part), "no memory");
        char *bytes = malloc(reader->count + part);
        memcpy(bytes, reader->bytes, reader->count);
        memcpy(bytes + reader->count, input + place, part);
        free(reader->bytes);
        reader->bytes = bytes;
        reader->room = reader->count += part;
        place += part;
        const gatehouse_redis_reply *reply;
        while (redis->fault.kind == gatehouse_redis_sound && (reply = next(redis)) != NULL) {
            read_whole(reply, 0, &tally);
        }
    }
    promise(tally.bytes <= 4 * count + 16 && tally.elements <= count, "more in answers than has come");
    promise(redis->fault.kind == gatehouse_redis_sound || redis->fault.sentence[0] != 0, "a fault without words");
    gatehouse_redis_close(redis);
    return 0;
}
