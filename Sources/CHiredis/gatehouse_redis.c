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
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

// So many bytes are taken from the system or given to it at once where they are copied anyway.
enum { piece = 16384 };

struct gatehouse_redis {
    // -1 while there is none.
    int socket;
    // How long a call may take.
    int milliseconds;
    // NULL for a connection that is not encrypted.
    struct gatehouse_tls *tls;
    // Makes answers of what was received.
    void *reader;
    // Commands that were not sent.
    char *commands;
    size_t count, room;
    struct gatehouse_redis_fault fault;
};

// MARK: - Faults

const struct gatehouse_redis_fault *gatehouse_redis_fault_of(const gatehouse_redis *redis) { return &redis->fault; }

const char *gatehouse_redis_words(const struct gatehouse_redis_fault *fault) { return fault->sentence; }

// Notes why a connection is of no use any more, unless that is known; false, for those who give that back.
static bool fail(gatehouse_redis *redis, enum gatehouse_redis_fault_kind kind, const char *sentence) {
    if (redis->fault.kind == gatehouse_redis_sound) {
        redis->fault.kind = kind;
        snprintf(redis->fault.sentence, sizeof redis->fault.sentence, "%s", sentence);
    }
    return false;
}

// Notes what the system says.
static bool fail_by(gatehouse_redis *redis, int error) {
    char words[128];
    bool is_late = error == EAGAIN || error == EINPROGRESS;
    return fail(redis, gatehouse_redis_broken, is_late ? "no answer came in time" : strerror_r(error, words, sizeof words));
}

// MARK: - Connecting

gatehouse_redis *gatehouse_redis_make(int milliseconds) {
    gatehouse_redis *redis = calloc(1, sizeof *redis);
    if (redis == NULL) return NULL;
    redis->socket = -1;
    redis->milliseconds = milliseconds;
    redis->reader = gatehouse_redis_make_reader();
    if (redis->reader != NULL) return redis;
    free(redis);
    return NULL;
}

void gatehouse_redis_close(gatehouse_redis *redis) {
    if (redis->tls != NULL) gatehouse_tls_free(redis->tls);
    if (redis->socket >= 0) close(redis->socket);
    gatehouse_redis_free_reader(redis->reader);
    free(redis->commands);
    free(redis);
}

void gatehouse_redis_set_patience(gatehouse_redis *redis, int milliseconds) {
    redis->milliseconds = milliseconds;
    struct timeval time = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
    setsockopt(redis->socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    setsockopt(redis->socket, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

// Waits for a connection that was begun and interrupted by a signal; gives the error of the system, or 0.
static int finish_connecting(gatehouse_redis *redis) {
    struct pollfd place = {.fd = redis->socket, .events = POLLOUT};
    int count;
    do {
        count = poll(&place, 1, redis->milliseconds);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return errno;
    if (count == 0) return EINPROGRESS;
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(redis->socket, SOL_SOCKET, SO_ERROR, &error, &size) < 0 ? errno : error;
}

// Connects to one address; gives the error of the system, or 0.
static int connect_to(gatehouse_redis *redis, int family, const struct sockaddr *address, socklen_t size) {
    redis->socket = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (redis->socket < 0) return errno;
    // The time for sending is the one for connecting, too.
    gatehouse_redis_set_patience(redis, redis->milliseconds);
    int error = connect(redis->socket, address, size) == 0 ? 0 : errno;
    if (error == EINTR) error = finish_connecting(redis);
    if (error != 0) {
        close(redis->socket);
        redis->socket = -1;
    }
    return error;
}

void gatehouse_redis_connect_unix(gatehouse_redis *redis, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        fail_by(redis, ENAMETOOLONG);
        return;
    }
    strcpy(address.sun_path, path);
    int error = connect_to(redis, AF_UNIX, (const struct sockaddr *)&address, sizeof address);
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
    int error = EADDRNOTAVAIL;
    for (struct addrinfo *one = found; one != NULL && redis->socket < 0; one = one->ai_next) {
        error = connect_to(redis, one->ai_family, one->ai_addr, one->ai_addrlen);
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

// Gives all bytes to the system.
static bool send_raw(gatehouse_redis *redis, const char *bytes, size_t count) {
    while (count > 0) {
        // Whoever has gone is told by an error, not by a signal that ends the process.
        ssize_t sent = send(redis->socket, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return fail_by(redis, errno);
        bytes += sent;
        count -= (size_t)sent;
    }
    return true;
}

// Waits for bytes of the system; 0 with a fault.
static size_t receive_raw(gatehouse_redis *redis, char *bytes, size_t size) {
    ssize_t count;
    do {
        count = recv(redis->socket, bytes, size, 0);
    } while (count < 0 && errno == EINTR);
    if (count > 0) return (size_t)count;
    if (count < 0) {
        fail_by(redis, errno);
    } else {
        fail(redis, gatehouse_redis_broken, gatehouse_redis_closed);
    }
    return 0;
}

// Sends what TLS has for the other side.
static bool flush(gatehouse_redis *redis) {
    char bytes[piece];
    size_t count;
    while ((count = gatehouse_tls_take(redis->tls, bytes, sizeof bytes)) > 0) {
        if (!send_raw(redis, bytes, count)) return false;
    }
    return true;
}

// Waits for what TLS needs of the other side.
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
        // What the other side is told of a failure is sent, too.
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

// Waits for bytes; 0 with a fault.
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

// Gives the next answer of what was received, NULL when it is not there as a whole, or with a fault.
static gatehouse_redis_reply *next(gatehouse_redis *redis) {
    gatehouse_redis_reply *reply = NULL;
    if (!gatehouse_redis_read(redis->reader, &reply)) {
        fail(redis, gatehouse_redis_strange, "it answers in words that are not Redis's");
    }
    return reply;
}

// Whoever does not accept this side's certificate says so, and has gone before anything could be sent.
static void look_for_rejection(gatehouse_redis *redis) {
    struct gatehouse_redis_fault fault = redis->fault;
    redis->fault.kind = gatehouse_redis_sound;
    char bytes[piece];
    while (receive_some(redis, bytes, sizeof bytes) > 0) {}
    if (redis->fault.kind != gatehouse_redis_rejected) redis->fault = fault;
}

gatehouse_redis_reply *gatehouse_redis_receive(gatehouse_redis *redis) {
    gatehouse_redis_reply *reply = next(redis);
    if (reply != NULL) return reply;
    bool is_sent = redis->fault.kind == gatehouse_redis_sound && send_all(redis, redis->commands, redis->count);
    redis->count = 0;
    if (!is_sent && redis->tls != NULL) look_for_rejection(redis);
    while (is_sent && redis->fault.kind == gatehouse_redis_sound) {
        char bytes[piece];
        size_t count = receive_some(redis, bytes, sizeof bytes);
        if (count == 0) return NULL;
        if (!gatehouse_redis_feed(redis->reader, bytes, count)) {
            fail(redis, gatehouse_redis_strange, "it answers in words that are not Redis's");
            return NULL;
        }
        reply = next(redis);
        if (reply != NULL) return reply;
    }
    return NULL;
}
