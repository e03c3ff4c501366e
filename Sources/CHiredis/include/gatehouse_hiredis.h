// SPDX-License-Identifier: Apache-2.0
//
// Debian's libhiredis, found when a host first needs it and linked by nobody, so that a host without a cluster runs on a machine
// that does not have it.

#ifndef GATEHOUSE_HIREDIS_H
#define GATEHOUSE_HIREDIS_H

#include <stdbool.h>
#include <stddef.h>

// A connection; used by one thread at a time.
typedef struct redisContext gatehouse_redis;
// An answer, which is freed with gatehouse_redis_free_reply.
typedef struct redisReply gatehouse_redis_reply;

// Finds the library. Returns NULL, or why it cannot be had, in the words of the dynamic loader.
const char *_Nullable gatehouse_redis_load(void);

// Connects within some milliseconds, and gives each later call as long; NULL when there is no memory. Look at the error.
gatehouse_redis *_Nullable gatehouse_redis_connect_unix(const char *_Nonnull path, int milliseconds);
gatehouse_redis *_Nullable gatehouse_redis_connect_tcp(const char *_Nonnull host, int port, int milliseconds);
// Why a connection is of no use any more; NULL while it is.
const char *_Nullable gatehouse_redis_error(const gatehouse_redis *_Nonnull redis);
// Closes a connection.
void gatehouse_redis_close(gatehouse_redis *_Nonnull redis);

// Adds a command to what is sent with the next answer that is waited for; false when that failed.
bool gatehouse_redis_append(gatehouse_redis *_Nonnull redis, int count, const char *_Nullable const *_Nonnull words,
                            const size_t *_Nonnull lengths);
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

#endif
