// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE

#include "fatal.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Needs more stack than there is.
static int overflow(volatile char *above) {
    volatile char room[4096];
    room[0] = (char)(above == NULL ? 0 : above[0] + 1);
    return overflow(room) + room[0];
}

/// Takes memory until there is none.
static void take_memory(void) {
    for (;;) {
        char *memory = malloc(1 << 20);
        if (memory == NULL) { abort(); }
        memset(memory, 1, 1 << 20);
    }
}

/// Takes 2 GiB of memory that does not count as data of the process, and ends when there is no more.
static void share_memory(void) {
    const size_t size = 1 << 20;
    for (int count = 0; count < 2048; count++) {
        char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) { abort(); }
        memset(memory, 1, size);
    }
    abort();
}

/// Leaves a child behind that has what its parent had, but for the standard streams.
static void fork_child(void) {
    if (fork() == 0) {
        for (int stream = 0; stream < 3; stream++) { close(stream); }
        alarm(120);
        for (;;) { pause(); }
    }
}

/// Says what nobody understands at each socket that keeps messages apart, and waits for the consequences.
static void lie(void) {
    for (int descriptor = 3; descriptor < 256; descriptor++) {
        int kind = 0;
        socklen_t size = sizeof kind;
        if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &size) == 0 && kind == SOCK_SEQPACKET) {
            send(descriptor, "lie", 3, MSG_NOSIGNAL);
        }
    }
    for (;;) { usleep(10000); }
}

void fatal_do(const char *deed) {
    if (strncmp(deed, "awaited-", 8) == 0) {
        while (unlink("armed") != 0) { usleep(1000); }
        fatal_do(deed + 8);
    }
    if (strncmp(deed, "armed-", 6) == 0 && access("armed", F_OK) == 0) { fatal_do(deed + 6); }
    if (strcmp(deed, "trap") == 0) { __builtin_trap(); }
    if (strcmp(deed, "abort") == 0) { abort(); }
    if (strcmp(deed, "segv") == 0) { *(volatile int *)(uintptr_t)16 = 1; }
    if (strcmp(deed, "divide") == 0) { raise(SIGFPE); }
    if (strcmp(deed, "overflow") == 0) { overflow(NULL); }
    if (strcmp(deed, "kill") == 0) { kill(getpid(), SIGKILL); }
    if (strcmp(deed, "unheard") == 0) {
        signal(SIGILL, SIG_DFL);
        __builtin_trap();
    }
    if (strcmp(deed, "loop") == 0) { for (;;) { usleep(10000); } }
    if (strcmp(deed, "spin") == 0) { for (volatile int turn = 0;; turn++) {} }
    if (strcmp(deed, "exit") == 0) { exit(0); }
    if (strcmp(deed, "_exit") == 0) { _exit(0); }
    if (strcmp(deed, "quick_exit") == 0) { quick_exit(0); }
    if (strcmp(deed, "vanish") == 0) { syscall(SYS_exit_group, 0); }
    if (strcmp(deed, "pthread_exit") == 0) { pthread_exit(NULL); }
    if (strcmp(deed, "close") == 0) { closefrom(3); }
    if (strcmp(deed, "closeOne") == 0) { for (int descriptor = 3; descriptor < 64; descriptor++) { close(descriptor); } }
    if (strcmp(deed, "memory") == 0) { take_memory(); }
    if (strcmp(deed, "shared") == 0) { share_memory(); }
    if (strcmp(deed, "stop") == 0) { kill(getpid(), SIGSTOP); }
    if (strcmp(deed, "fork") == 0) { fork_child(); }
    if (strcmp(deed, "lie") == 0) { lie(); }
    if (strcmp(deed, "forkTrap") == 0) {
        fork_child();
        __builtin_trap();
    }
}

void fatal_do_once(const char *deed, const char *file) {
    if (unlink(file) == 0) { fatal_do(deed); }
}

static void *do_it(void *deed) {
    fatal_do(deed);
    return NULL;
}

void fatal_do_aside(const char *deed) {
    pthread_t thread;
    char *copy = strdup(deed);
    if (pthread_create(&thread, NULL, do_it, copy) == 0) { pthread_join(thread, NULL); }
    free(copy);
}

/// Lets the caller go on first.
static void *do_later(void *deed) {
    usleep(50000);
    fatal_do(deed);
    free(deed);
    return NULL;
}

void fatal_do_later(const char *deed) {
    pthread_t thread;
    char *copy = strdup(deed);
    if (pthread_create(&thread, NULL, do_later, copy) == 0) { pthread_detach(thread); }
}
