// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE

#include "fatal.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Needs more stack than there is.
static int overflow(volatile char *above) {
    volatile char room[4096];
    room[0] = (char)(above == NULL ? 0 : above[0] + 1);
    return overflow(room) + room[0];
}

void fatal_do(const char *deed) {
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
