// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "gatehouse_redis_reader.h"
#include "gatehouse_tls.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// How many bytes the system takes or gives at once where they are copied anyway.
enum { piece = 16384 };

struct gatehouse_redis {
    // -1 while there is none.
    int socket;
    // The deadline of the current call, in milliseconds of the clock that is never set.
    int64_t deadline;
    // NULL for a connection that is not encrypted.
    struct gatehouse_tls *tls;
    // The received bytes.
    struct gatehouse_redis_reader reader;
    // Commands not sent yet.
    char *commands;
    size_t count, room;
    struct gatehouse_redis_fault fault;
};

// MARK: - Faults

const struct gatehouse_redis_fault *gatehouse_redis_fault_of(const gatehouse_redis *redis) { return &redis->fault; }

const char *gatehouse_redis_words(const struct gatehouse_redis_fault *fault) { return fault->sentence; }

// Records why a connection is unusable, unless a reason is already known; returns false for the caller to
// return.
static bool fail(gatehouse_redis *redis, enum gatehouse_redis_fault_kind kind, const char *sentence) {
    if (redis->fault.kind == gatehouse_redis_sound) {
        redis->fault.kind = kind;
        snprintf(redis->fault.sentence, sizeof redis->fault.sentence, "%s", sentence);
    }
    return false;
}

// Records an error of the system.
static bool fail_by(gatehouse_redis *redis, int error) {
    char words[128];
    const char *sentence = error == ETIMEDOUT ? "no answer came in time"
                           : error == EPIPE   ? gatehouse_redis_closed
                                              : strerror_r(error, words, sizeof words);
    return fail(redis, gatehouse_redis_broken, sentence);
}

// MARK: - Time

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// Waits until a socket is readable or writable, or has ended; returns the system's error, or 0.
static int wait_for(int socket, short event, int64_t deadline) {
    struct pollfd place = {.fd = socket, .events = event};
    while (true) {
        int64_t left = deadline - now();
        if (left <= 0) return ETIMEDOUT;
        int count = poll(&place, 1, left > INT32_MAX ? INT32_MAX : (int)left);
        if (count > 0) return 0;
        if (count < 0 && errno != EINTR) return errno;
    }
}

// MARK: - Connecting

gatehouse_redis *gatehouse_redis_make(void) {
    gatehouse_redis *redis = calloc(1, sizeof *redis);
    if (redis == NULL) return NULL;
    redis->socket = -1;
    return redis;
}

void gatehouse_redis_close(gatehouse_redis *redis) {
    if (redis->tls != NULL) gatehouse_tls_free(redis->tls);
    if (redis->socket >= 0) close(redis->socket);
    gatehouse_redis_reader_free(&redis->reader);
    free(redis->commands);
    free(redis);
}

void gatehouse_redis_begin(gatehouse_redis *redis, int milliseconds) { redis->deadline = now() + milliseconds; }

// Connects to one address; returns the system's error, or 0.
static int connect_to(gatehouse_redis *redis, int family, const struct sockaddr *address, socklen_t size, int64_t deadline) {
    int place = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (place < 0) return errno;
    int error = 0;
    // A local server with a full queue has no other way to report when it has room.
    while (connect(place, address, size) != 0) {
        error = errno;
        if (error != EAGAIN || now() >= deadline) break;
        const struct timespec pause = {.tv_nsec = 5000000};
        nanosleep(&pause, NULL);
        error = 0;
    }
    if (error == EAGAIN) error = ETIMEDOUT;
    if (error == EINPROGRESS || error == EINTR) {
        error = wait_for(place, POLLOUT, deadline);
        socklen_t length = sizeof error;
        if (error == 0 && getsockopt(place, SOL_SOCKET, SO_ERROR, &error, &length) < 0) error = errno;
    }
    if (error != 0) {
        close(place);
        return error;
    }
    redis->socket = place;
    return 0;
}

void gatehouse_redis_connect_unix(gatehouse_redis *redis, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        fail_by(redis, ENAMETOOLONG);
        return;
    }
    strcpy(address.sun_path, path);
    int error = connect_to(redis, AF_UNIX, (const struct sockaddr *)&address, sizeof address, redis->deadline);
    if (error != 0) fail_by(redis, error);
}

void gatehouse_redis_connect_tcp(gatehouse_redis *redis, const char *host, int port) {
    char service[16];
    snprintf(service, sizeof service, "%d", port);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    int problem = getaddrinfo(host, service, &hints, &found);
    if (problem != 0) {
        fail(redis, gatehouse_redis_broken, problem == EAI_SYSTEM ? strerror(errno) : gai_strerror(problem));
        return;
    }
    int error = EADDRNOTAVAIL, count = 0;
    for (struct addrinfo *one = found; one != NULL; one = one->ai_next) count++;
    for (struct addrinfo *one = found; one != NULL && redis->socket < 0; one = one->ai_next) {
        // An address that does not answer leaves the others their share of the time.
        int64_t part = now() + (redis->deadline - now()) / count--;
        error = connect_to(redis, one->ai_family, one->ai_addr, one->ai_addrlen, part);
    }
    freeaddrinfo(found);
    if (redis->socket < 0) {
        fail_by(redis, error);
        return;
    }
    int yes = 1;
    setsockopt(redis->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

// MARK: - Bytes

// Sends all bytes.
static bool send_raw(gatehouse_redis *redis, const char *bytes, size_t count) {
    while (count > 0) {
        // A peer that has gone must cause an error, not a signal that ends the process.
        ssize_t sent = send(redis->socket, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && errno == EAGAIN) {
            int error = wait_for(redis->socket, POLLOUT, redis->deadline);
            if (error != 0) return fail_by(redis, error);
            continue;
        }
        if (sent < 0) return fail_by(redis, errno);
        bytes += sent;
        count -= (size_t)sent;
    }
    return true;
}

// Receives bytes, waiting for them; 0 with a fault.
static size_t receive_raw(gatehouse_redis *redis, char *bytes, size_t size) {
    while (true) {
        // Even if there is something to read: a peer that sends a byte now and then gets no more time than
        // others.
        int error = wait_for(redis->socket, POLLIN, redis->deadline);
        if (error != 0) return fail_by(redis, error);
        ssize_t count = recv(redis->socket, bytes, size, 0);
        if (count > 0) return (size_t)count;
        if (count == 0) return fail(redis, gatehouse_redis_broken, gatehouse_redis_closed);
        if (errno != EINTR && errno != EAGAIN) return fail_by(redis, errno);
    }
}

// Sends the pending bytes of TLS.
static bool flush(gatehouse_redis *redis) {
    char bytes[piece];
    size_t count;
    while ((count = gatehouse_tls_take(redis->tls, bytes, sizeof bytes)) > 0) {
        if (!send_raw(redis, bytes, count)) return false;
    }
    return true;
}

// Receives the bytes that TLS needs.
static bool feed(gatehouse_redis *redis) {
    char bytes[piece];
    size_t count = receive_raw(redis, bytes, sizeof bytes);
    if (count == 0) return false;
    return gatehouse_tls_give(redis->tls, bytes, count) || fail_by(redis, ENOMEM);
}

void gatehouse_redis_encrypt(gatehouse_redis *redis, const struct gatehouse_redis_tls *terms) {
    redis->tls = gatehouse_tls_make(terms, &redis->fault);
    if (redis->tls == NULL) return;
    while (true) {
        enum gatehouse_tls_step step = gatehouse_tls_shake(redis->tls, &redis->fault);
        // The alert about a failure is sent, too.
        if (!flush(redis) || step != gatehouse_tls_hungry || !feed(redis)) return;
    }
}

static bool send_all(gatehouse_redis *redis, const char *bytes, size_t count) {
    if (redis->tls == NULL) return send_raw(redis, bytes, count);
    while (count > 0) {
        size_t part = count < piece ? count : piece;
        if (!gatehouse_tls_encrypt(redis->tls, bytes, part, &redis->fault) || !flush(redis)) return false;
        bytes += part;
        count -= part;
    }
    return true;
}

// Receives decrypted bytes, waiting for them; 0 with a fault.
static size_t receive_some(gatehouse_redis *redis, char *bytes, size_t size) {
    if (redis->tls == NULL) return receive_raw(redis, bytes, size);
    while (true) {
        size_t count = 0;
        switch (gatehouse_tls_decrypt(redis->tls, bytes, size, &count, &redis->fault)) {
        case gatehouse_tls_done: return count;
        case gatehouse_tls_failed: return 0;
        case gatehouse_tls_hungry:
            if (!flush(redis) || !feed(redis)) return 0;
        }
    }
}

// MARK: - Commands and answers

bool gatehouse_redis_append(gatehouse_redis *redis, const void *bytes, size_t count) {
    if (redis->count + count > redis->room) {
        size_t room = (redis->count + count) * 2;
        char *commands = realloc(redis->commands, room);
        if (commands == NULL) return fail_by(redis, ENOMEM);
        redis->commands = commands;
        redis->room = room;
    }
    memcpy(redis->commands + redis->count, bytes, count);
    redis->count += count;
    return true;
}

// Returns the next received answer; NULL when it is incomplete, or with a fault.
static const gatehouse_redis_reply *next(gatehouse_redis *redis) {
    const gatehouse_redis_reply *reply = NULL;
    switch (gatehouse_redis_reader_next(&redis->reader, &reply)) {
    case gatehouse_redis_whole: return reply;
    case gatehouse_redis_lacking: break;
    case gatehouse_redis_unframed: fail(redis, gatehouse_redis_strange, "it answers in words that are not Redis's"); break;
    case gatehouse_redis_oversized:
        fail(redis, gatehouse_redis_excessive, "its answer has more than 256 MiB, a million elements, or arrays in one another");
        break;
    case gatehouse_redis_exhausted: fail_by(redis, ENOMEM);
    }
    return NULL;
}

// A server that rejects this side's certificate sends an alert, and has gone before anything could be sent.
static void look_for_rejection(gatehouse_redis *redis) {
    struct gatehouse_redis_fault fault = redis->fault;
    redis->fault.kind = gatehouse_redis_sound;
    char bytes[piece];
    while (receive_some(redis, bytes, sizeof bytes) > 0) {}
    if (redis->fault.kind != gatehouse_redis_rejected) redis->fault = fault;
}

const gatehouse_redis_reply *gatehouse_redis_receive(gatehouse_redis *redis) {
    const gatehouse_redis_reply *reply = next(redis);
    if (reply != NULL) return reply;
    bool is_sent = redis->fault.kind == gatehouse_redis_sound && send_all(redis, redis->commands, redis->count);
    redis->count = 0;
    if (!is_sent && redis->tls != NULL) look_for_rejection(redis);
    struct gatehouse_redis_reader *reader = &redis->reader;
    while (is_sent && reply == NULL && redis->fault.kind == gatehouse_redis_sound) {
        if (!gatehouse_redis_reader_reserve(reader, piece)) {
            fail_by(redis, ENOMEM);
            return NULL;
        }
        size_t count = receive_some(redis, reader->bytes + reader->count, reader->room - reader->count);
        if (count == 0) return NULL;
        reader->count += count;
        reply = next(redis);
    }
    return reply;
}
