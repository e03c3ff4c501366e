// SPDX-License-Identifier: Apache-2.0

// on_exit is an extension that the C library shows only on request.
#define _GNU_SOURCE

#include "gatehouse_linux.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/// What a thread or an ending process calls.
struct call {
    void (*function)(void *context);
    void *context;
};

static void *run_thread(void *data) {
    const struct call call = *(struct call *)data;
    free(data);
    call.function(call.context);
    return NULL;
}

int gatehouse_start_thread(void (*function)(void *context), void *context) {
    struct call *call = malloc(sizeof *call);
    if (call == NULL) { return -1; }
    *call = (struct call){function, context};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 512 << 10);
    pthread_t thread;
    const int refused = pthread_create(&thread, &attributes, run_thread, call);
    pthread_attr_destroy(&attributes);
    if (refused != 0) { free(call); }
    return -refused;
}

// MARK: - Ends that nobody asked for

/// Told about them; nil when they are expected.
static void (*volatile on_unasked_end)(int status);
/// A child that a plugin forks inherits this memory but is another process.
static pid_t guarded_process;

static void tell_exit(int status, void *context) {
    (void)context;
    if (on_unasked_end != NULL && getpid() == guarded_process) { on_unasked_end(status); }
}

static void tell_thread_end(void *value) {
    (void)value;
    if (on_unasked_end != NULL && getpid() == guarded_process) { on_unasked_end(-1); }
}

int gatehouse_guard_end(void (*function)(int status)) {
    guarded_process = getpid();
    on_unasked_end = function;
    static pthread_key_t key;
    const int refused = pthread_key_create(&key, tell_thread_end);
    if (refused != 0) { return -refused; }
    pthread_setspecific(key, &key);
    return on_exit(tell_exit, NULL) == 0 ? 0 : -1;
}

void gatehouse_expect_end(void) { on_unasked_end = NULL; }
