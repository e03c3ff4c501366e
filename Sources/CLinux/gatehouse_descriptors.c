// SPDX-License-Identifier: Apache-2.0

// close_range and getdents64 are extensions that the C library declares only on request.
#define _GNU_SOURCE

#include "gatehouse_recorder.h"
#include "gatehouse_linux.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Higher descriptors are not tracked as the host's.
enum { most_descriptors = 1 << 16, bits_of_word = 64 };

/// One bit for each descriptor of the host.
static _Atomic uint64_t own[most_descriptors / bits_of_word];
/// The process that owns the descriptors.
static pid_t owner;

// MARK: - In a child that was forked

/// Whether a descriptor that no program inherits accepts connections.
static bool is_listening(int descriptor) {
    int is_listening = 0;
    socklen_t size = sizeof is_listening;
    const int flags = fcntl(descriptor, F_GETFD);
    return flags >= 0 && (flags & FD_CLOEXEC) && getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size) == 0
        && is_listening;
}

/// The number that a name consists of; -1 for another name.
static int number_of(const char *name) {
    int number = 0;
    if (*name == 0) { return -1; }
    for (; *name != 0; name++) {
        if (*name < '0' || *name > '9') { return -1; }
        number = number * 10 + (*name - '0');
    }
    return number;
}

/// Closes all listening sockets. Allocates no memory: another thread may have held the allocator's lock.
static void close_listeners(void) {
    const int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) { return; }
    _Alignas(struct dirent64) char entries[4096];
    long count;
    while ((count = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0) {
        for (long place = 0; place < count;) {
            const struct dirent64 *entry = (const struct dirent64 *)(entries + place);
            const int descriptor = number_of(entry->d_name);
            if (descriptor > 2 && descriptor != folder && is_listening(descriptor)) { syscall(SYS_close, descriptor); }
            place += entry->d_reclen;
        }
    }
    syscall(SYS_close, folder);
}

/// Closes the host's descriptors: a child would keep locks and sockets from the next host.
static void let_go(void) {
    for (unsigned word = 0; word < most_descriptors / bits_of_word; word++) {
        uint64_t bits = atomic_exchange_explicit(&own[word], 0, memory_order_relaxed);
        for (; bits != 0; bits &= bits - 1) { syscall(SYS_close, word * bits_of_word + (unsigned)__builtin_ctzll(bits)); }
    }
    close_listeners();
}

static void begin(void) {
    owner = getpid();
    pthread_atfork(NULL, NULL, let_go);
}

void gatehouse_own(int descriptor) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin);
    const unsigned number = (unsigned)descriptor;
    if (descriptor < 0 || number >= most_descriptors) { return; }
    atomic_fetch_or_explicit(
        &own[number / bits_of_word], UINT64_C(1) << number % bits_of_word, memory_order_relaxed);
}

// MARK: - In the hands of others

/// The exit code of a host whose descriptors are gone; `ExitCode.internalError`.
enum { internal_error = 70 };

void gatehouse_end_without_descriptors(void) {
    if (getpid() != owner) { return; }
    gatehouse_expect_end();
    gatehouse_note_end(GATEHOUSE_END_DESCRIPTORS, 0, true);
    for (;;) { syscall(SYS_exit_group, internal_error); }
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GATEHOUSE_SANITIZED 1
#endif
#endif

// Sanitizers replace the same functions.
#ifndef GATEHOUSE_SANITIZED

static bool is_own(unsigned descriptor) {
    return descriptor < most_descriptors
        && (atomic_load_explicit(&own[descriptor / bits_of_word], memory_order_relaxed) >> descriptor % bits_of_word & 1);
}

static void disown(unsigned descriptor) {
    if (!is_own(descriptor)) { return; }
    atomic_fetch_and_explicit(
        &own[descriptor / bits_of_word], ~(UINT64_C(1) << descriptor % bits_of_word), memory_order_relaxed);
}

/// Whether a range contains a descriptor of the host.
static bool has_own(unsigned first, unsigned last) {
    for (unsigned number = first; number <= last && number < most_descriptors; number++) {
        if (is_own(number)) { return true; }
    }
    return false;
}

/// Ends the host if a plugin closes its descriptors: the next files opened would get their numbers, and the host would write to them.
static void guard(unsigned first, unsigned last, const void *return_address) {
    // A child may close any descriptor.
    if (owner == 0 || !has_own(first, last) || getpid() != owner) { return; }
    if (gatehouse_recorder_maker(return_address) != 0) { gatehouse_end_without_descriptors(); }
    for (unsigned number = first; number <= last && number < most_descriptors; number++) { disown(number); }
}

/// Replaces the C library's function for all code in the process.
int close(int descriptor) {
    if (is_own((unsigned)descriptor)) { guard((unsigned)descriptor, (unsigned)descriptor, __builtin_return_address(0)); }
    return (int)syscall(SYS_close, descriptor);
}

int close_range(unsigned first, unsigned last, int flags) {
    if (flags == 0) { guard(first, last, __builtin_return_address(0)); }
    return (int)syscall(SYS_close_range, first, last, flags);
}

void closefrom(int first) {
    const unsigned from = first < 0 ? 0 : (unsigned)first;
    guard(from, ~0u, __builtin_return_address(0));
    // All kernels that this host runs on have the call.
    syscall(SYS_close_range, from, ~0u, 0);
}

#endif
