// SPDX-License-Identifier: Apache-2.0

// on_exit and RTLD_NEXT are extensions that the C library declares only on request.
#define _GNU_SOURCE

#include "gatehouse_recorder.h"
#include "gatehouse_linux.h"
#include "gatehouse_places.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int gatehouse_start_thread(void *(*function)(void *context), void *context) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 8 << 20);
    pthread_t thread;
    const int refused = pthread_create(&thread, &attributes, function, context);
    pthread_attr_destroy(&attributes);
    return -refused;
}

// MARK: - Threads of others

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GATEHOUSE_SANITIZED 1
#endif
#endif

// Sanitizers replace the same functions, and bring their own stacks for handlers.
#ifndef GATEHOUSE_SANITIZED

/// The function of a thread that other code creates.
struct beginning {
    void *(*function)(void *argument);
    void *argument;
    /// The owner of the thread.
    uint64_t owner;
};

static void *begin_thread(void *data) {
    gatehouse_prepare_thread();
    const struct beginning beginning = *(struct beginning *)data;
    free(data);
    gatehouse_recorder_set_owner(beginning.owner);
    return beginning.function(beginning.argument);
}

typedef int (*create_function)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/// Replaces the C library's function for all code in the process. So each thread, including those of libdispatch, on which effects
/// run, and of plugins, has a stack for signal handlers: a stack that overflows leaves a handler no other. A thread that a plugin
/// makes belongs to the instance that does so.
int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *argument), void *argument) {
    static _Atomic(create_function) known;
    create_function create = atomic_load(&known);
    if (create == NULL) {
        create = (create_function)dlsym(RTLD_NEXT, "pthread_create");
        if (create == NULL) { return EAGAIN; }
        atomic_store(&known, create);
    }
    struct beginning *beginning = malloc(sizeof *beginning);
    if (beginning == NULL) { return EAGAIN; }
    *beginning = (struct beginning){function, argument, gatehouse_recorder_maker(__builtin_return_address(0))};
    const int refused = create(thread, attributes, begin_thread, beginning);
    if (refused != 0) { free(beginning); }
    return refused;
}

/// Ends the process as the C library does.
static _Noreturn void end_process(int status) {
    for (;;) { syscall(SYS_exit_group, status); }
}

static void tell_exit(int status, void *context);

/// Replaces the C library's function, to detect code that ends the process past all handlers.
void _exit(int status) {
    tell_exit(status, NULL);
    end_process(status);
}

/// The same.
void _Exit(int status) { _exit(status); }

/// The same; deliberately does not run the handlers of `at_quick_exit`.
void quick_exit(int status) { _exit(status); }

#endif

// MARK: - Ends that nobody asked for

typedef void (*end_handler)(int status);
/// Called with them; NULL when they are expected, which the main thread declares while others are about to end.
static _Atomic(end_handler) on_unasked_end;
/// A child that a plugin forks inherits this memory but is another process.
static pid_t guarded_process;

static void tell_exit(int status, void *context) {
    (void)context;
    end_handler tell = on_unasked_end;
    if (tell != NULL && getpid() == guarded_process) { tell(status); }
}

/// The key's value in the main thread; in another watched thread it is the key's own address.
static const int main_thread = GATEHOUSE_MAIN_THREAD_ENDS;
static pthread_key_t key;
static bool has_key;

static void tell_thread_end(void *value) {
    end_handler tell = on_unasked_end;
    if (tell == NULL || getpid() != guarded_process) { return; }
    tell(value == &main_thread ? GATEHOUSE_MAIN_THREAD_ENDS : GATEHOUSE_OTHER_THREAD_ENDS);
}

static void make_key(void) { has_key = pthread_key_create(&key, tell_thread_end) == 0; }

// Before any library is initialised: keys are cleaned up in the order of creation, and libdispatch's ends the process when a thread
// of its pool ends.
__attribute__((section(".preinit_array"), used)) static void (*const make_key_first)(void) = make_key;

__thread bool gatehouse_is_watched;

void gatehouse_begin_to_watch(void) {
    gatehouse_is_watched = true;
    gatehouse_know_thread();
    gatehouse_prepare_thread();
    if (has_key) { pthread_setspecific(key, &key); }
}

int gatehouse_guard_end(void (*function)(int status)) {
    guarded_process = getpid();
    on_unasked_end = function;
    gatehouse_is_watched = true;
    gatehouse_know_thread();
    if (has_key) { pthread_setspecific(key, &main_thread); }
    return on_exit(tell_exit, NULL) == 0 ? 0 : -1;
}

void gatehouse_expect_end(void) { on_unasked_end = NULL; }
