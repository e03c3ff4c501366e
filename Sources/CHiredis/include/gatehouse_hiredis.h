// SPDX-License-Identifier: Apache-2.0
//
// Debian's libhiredis, found when a host first needs it and linked by nobody, so that a host without a cluster runs on a machine
// that does not have it.
//
// Its structures are not those of its headers alone: version 1 put fields in front of those that version 0 had. Which ones the library
// has is found out by trying; nothing here depends on the headers of the machine that builds.

#ifndef GATEHOUSE_HIREDIS_H
#define GATEHOUSE_HIREDIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A connection; used by one thread at a time.
typedef struct redisContext gatehouse_redis;
// An answer, which is freed with gatehouse_redis_free_reply; its parts belong to it.
typedef struct redisReply gatehouse_redis_reply;

// Finds the library. Returns NULL, or why it cannot be had: in the words of the dynamic loader, or that its version is unknown.
const char *_Nullable gatehouse_redis_load(void);

// Connects within some milliseconds, and gives each later call as long; NULL when there is no memory. Look at the error.
gatehouse_redis *_Nullable gatehouse_redis_connect_unix(const char *_Nonnull path, int milliseconds);
gatehouse_redis *_Nullable gatehouse_redis_connect_tcp(const char *_Nonnull host, int port, int milliseconds);
// Gives each later call so long.
void gatehouse_redis_set_patience(gatehouse_redis *_Nonnull redis, int milliseconds);
// Why a connection is of no use any more; NULL while it is.
const char *_Nullable gatehouse_redis_error(const gatehouse_redis *_Nonnull redis);
// Closes a connection.
void gatehouse_redis_close(gatehouse_redis *_Nonnull redis);

// Adds commands in the words of the protocol to what is sent with the next answer that is waited for; false when that failed.
bool gatehouse_redis_append(gatehouse_redis *_Nonnull redis, const void *_Nonnull bytes, size_t count);
// Sends what was added, and waits for the answer to the oldest command that has none; NULL when the connection broke.
gatehouse_redis_reply *_Nullable gatehouse_redis_receive(gatehouse_redis *_Nonnull redis);

// What an answer is: a number of the protocol's own below.
enum gatehouse_redis_kind {
    gatehouse_redis_string = 1,
    gatehouse_redis_array = 2,
    gatehouse_redis_integer = 3,
    gatehouse_redis_nil = 4,
    gatehouse_redis_status = 5,
    gatehouse_redis_failure = 6,
};
int gatehouse_redis_kind_of(const gatehouse_redis_reply *_Nonnull reply);
long long gatehouse_redis_number(const gatehouse_redis_reply *_Nonnull reply);
const char *_Nullable gatehouse_redis_bytes(const gatehouse_redis_reply *_Nonnull reply, size_t *_Nonnull length);
size_t gatehouse_redis_count(const gatehouse_redis_reply *_Nonnull reply);
const gatehouse_redis_reply *_Nonnull gatehouse_redis_element(const gatehouse_redis_reply *_Nonnull reply, size_t index);
void gatehouse_redis_free_reply(gatehouse_redis_reply *_Nonnull reply);

// The number that a text ends with; 0 without any.
uint64_t gatehouse_redis_number_at_end(const gatehouse_redis_reply *_Nonnull reply);

// An entry of a stream, as XREAD gives it.
struct gatehouse_redis_entry {
    // Its id.
    uint64_t high, low;
    // Its fields "a", or "p", and "o"; NULL for one that it does not have.
    const void *_Nullable action;
    size_t action_length;
    const void *_Nullable origin;
    size_t origin_length;
    // Whether what stands in the place of the action is "p".
    bool is_packed;
};
// Reads an element of an array of entries; false when it is none.
bool gatehouse_redis_entry_at(const gatehouse_redis_reply *_Nonnull entries, size_t index,
                              struct gatehouse_redis_entry *_Nonnull entry);

#endif
