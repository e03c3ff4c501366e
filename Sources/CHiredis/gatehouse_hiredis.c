// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "gatehouse_hiredis.h"

#include <dlfcn.h>
#include <hiredis/hiredis.h>
#include <pthread.h>

// The names that the library has under each of Debian's versions of it, newest first.
static const char *const names[] = {"libhiredis.so.1.1.0", "libhiredis.so.1", "libhiredis.so.0.14"};

static struct {
    redisContext *(*connect_unix)(const char *, const struct timeval);
    redisContext *(*connect_tcp)(const char *, int, const struct timeval);
    int (*set_timeout)(redisContext *, const struct timeval);
    void (*close)(redisContext *);
    int (*append)(redisContext *, int, const char **, const size_t *);
    int (*receive)(redisContext *, void **);
    void (*free_reply)(void *);
} library;
static pthread_once_t is_loaded = PTHREAD_ONCE_INIT;
static const char *failure;

static void load(void) {
    void *handle = NULL;
    for (size_t index = 0; handle == NULL && index < sizeof names / sizeof *names; index++) {
        handle = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    }
    if (handle == NULL) {
        failure = dlerror();
        return;
    }
    const struct {
        void **place;
        const char *name;
    } functions[] = {
        {(void **)&library.connect_unix, "redisConnectUnixWithTimeout"},
        {(void **)&library.connect_tcp, "redisConnectWithTimeout"},
        {(void **)&library.set_timeout, "redisSetTimeout"},
        {(void **)&library.close, "redisFree"},
        {(void **)&library.append, "redisAppendCommandArgv"},
        {(void **)&library.receive, "redisGetReply"},
        {(void **)&library.free_reply, "freeReplyObject"},
    };
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        *functions[index].place = dlsym(handle, functions[index].name);
        if (*functions[index].place == NULL) {
            failure = dlerror();
            return;
        }
    }
}

const char *gatehouse_redis_load(void) {
    pthread_once(&is_loaded, load);
    return failure;
}

static struct timeval time_of(int milliseconds) {
    return (struct timeval){.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
}

static redisContext *patient(redisContext *redis, int milliseconds) {
    if (redis != NULL && redis->err == 0) library.set_timeout(redis, time_of(milliseconds));
    return redis;
}

gatehouse_redis *gatehouse_redis_connect_unix(const char *path, int milliseconds) {
    return patient(library.connect_unix(path, time_of(milliseconds)), milliseconds);
}

gatehouse_redis *gatehouse_redis_connect_tcp(const char *host, int port, int milliseconds) {
    return patient(library.connect_tcp(host, port, time_of(milliseconds)), milliseconds);
}

const char *gatehouse_redis_error(const gatehouse_redis *redis) { return redis->err == 0 ? NULL : redis->errstr; }

void gatehouse_redis_close(gatehouse_redis *redis) { library.close(redis); }

bool gatehouse_redis_append(gatehouse_redis *redis, int count, const char *const *words, const size_t *lengths) {
    return library.append(redis, count, (const char **)words, lengths) == REDIS_OK;
}

gatehouse_redis_reply *gatehouse_redis_receive(gatehouse_redis *redis) {
    void *reply = NULL;
    return library.receive(redis, &reply) == REDIS_OK ? reply : NULL;
}

int gatehouse_redis_kind_of(const gatehouse_redis_reply *reply) { return reply->type; }

long long gatehouse_redis_number(const gatehouse_redis_reply *reply) { return reply->integer; }

const char *gatehouse_redis_bytes(const gatehouse_redis_reply *reply, size_t *length) {
    *length = reply->len;
    return reply->str;
}

size_t gatehouse_redis_count(const gatehouse_redis_reply *reply) { return reply->elements; }

const gatehouse_redis_reply *gatehouse_redis_element(const gatehouse_redis_reply *reply, size_t index) {
    return reply->element[index];
}

void gatehouse_redis_free_reply(gatehouse_redis_reply *reply) { library.free_reply(reply); }
