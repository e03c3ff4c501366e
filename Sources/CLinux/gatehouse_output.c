// SPDX-License-Identifier: Apache-2.0

// nanosleep and clock_gettime are hidden under strict C17.
#define _GNU_SOURCE

#include "gatehouse_linux.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/// How much a pipe takes without blocking when it is writable at all, in bytes.
enum { whole_page = 4096 };

// Plain memory with two offsets, because a signal handler can access nothing else. One thread at a time appends and
// writes lines, which the caller ensures; the handler, on any thread, reads.

static char lines[GATEHOUSE_OUTPUT_BYTES];
/// The end of the last whole line.
static atomic_size_t filled;
/// The end of the last byte that the system took.
static atomic_size_t written;
/// Whether a thread is about to move `written`.
static atomic_bool is_writing;
/// The destination of the lines; -1 before there is any output.
static atomic_int destination = -1;

void gatehouse_output_open(int descriptor) { atomic_store(&destination, descriptor); }

bool gatehouse_output_append(const void *line, size_t count) {
    const size_t end = atomic_load_explicit(&filled, memory_order_relaxed);
    if (count > sizeof lines - end) { return false; }
    memcpy(lines + end, line, count);
    atomic_store_explicit(&filled, end + count, memory_order_release);
    return true;
}

void gatehouse_print_by_lines(void) { setvbuf(stdout, NULL, _IOLBF, 0); }

/// Writes bytes, however long that takes; updates the progress after each part.
static int write_all(const char *bytes, size_t count, atomic_size_t *progress) {
    const int descriptor = atomic_load(&destination);
    while (count > 0) {
        const ssize_t part = write(descriptor, bytes, count);
        if (part >= 0) {
            bytes += part;
            count -= (size_t)part;
            if (progress != NULL) { atomic_fetch_add(progress, (size_t)part); }
        } else if (errno == EAGAIN) {
            struct pollfd ready = {.fd = descriptor, .events = POLLOUT};
            poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

int gatehouse_output_flush(void) {
    atomic_store(&is_writing, true);
    const size_t start = atomic_load(&written);
    const int failure = write_all(lines + start, atomic_load(&filled) - start, &written);
    atomic_store(&filled, 0);
    atomic_store(&written, 0);
    atomic_store(&is_writing, false);
    return failure;
}

int gatehouse_output_write(const void *bytes, size_t count) { return write_all(bytes, count, NULL); }

/// Milliseconds of a clock that is never set.
static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/// Waits until a descriptor is writable; false when the time is over.
static bool is_ready(int descriptor, long long deadline) {
    struct pollfd ready = {.fd = descriptor, .events = POLLOUT};
    for (;;) {
        const long long left = deadline - now();
        const int count = poll(&ready, 1, left > 0 ? (int)left : 0);
        if (count > 0) { return true; }
        if (count == 0 || errno != EINTR) { return false; }
    }
}

/// Writes bytes until the time is over; returns how many.
static size_t write_until(int descriptor, const char *bytes, size_t count, long long deadline) {
    size_t done = 0;
    while (done < count && is_ready(descriptor, deadline)) {
        const size_t wanted = count - done < whole_page ? count - done : whole_page;
        const ssize_t part = write(descriptor, bytes + done, wanted);
        if (part > 0) { done += (size_t)part; }
        if (part < 0 && errno != EINTR && errno != EAGAIN) { break; }
    }
    return done;
}

size_t gatehouse_write_within(int descriptor, const void *bytes, size_t count, int milliseconds) {
    return write_until(descriptor, bytes, count, now() + milliseconds);
}

long gatehouse_write_now(int descriptor, const void *bytes, size_t count) {
    const struct iovec part = {(void *)bytes, count};
    ssize_t done = pwritev2(descriptor, &part, 1, -1, RWF_NOWAIT);
    if (done < 0 && errno != EAGAIN && errno != EPIPE) {
        // An older system has no nonblocking write for such a file; but a writable one takes a page.
        struct pollfd ready = {.fd = descriptor, .events = POLLOUT};
        if (poll(&ready, 1, 0) <= 0) { return 0; }
        done = write(descriptor, bytes, count < whole_page ? count : whole_page);
    }
    if (done < 0) { return errno == EAGAIN || errno == EINTR ? 0 : -errno; }
    return done;
}

bool gatehouse_output_rescue(int milliseconds) {
    const int descriptor = atomic_load(&destination);
    if (descriptor < 0) { return true; }
    const long long deadline = now() + milliseconds;
    // Another thread in the middle of writing continues while this one waits.
    while (atomic_load(&is_writing)) {
        if (now() >= deadline) { return false; }
        const struct timespec moment = {.tv_nsec = 1000000};
        nanosleep(&moment, NULL);
    }
    const size_t start = atomic_load(&written);
    const size_t count = atomic_load(&filled) - start;
    const size_t done = write_until(descriptor, lines + start, count, deadline);
    atomic_fetch_add(&written, done);
    return done == count;
}
