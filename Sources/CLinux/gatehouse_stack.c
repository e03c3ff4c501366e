// SPDX-License-Identifier: Apache-2.0

// gettid and tgkill are extensions that the C library declares only on request.
#define _GNU_SOURCE

#include "gatehouse_recorder.h"
#include "gatehouse_frames.h"
#include "gatehouse_linux.h"
#include "gatehouse_places.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// MARK: - Threads

/// At most this many threads can be found by the record of a drain.
enum { most_threads = 1024 };

/// A thread that has drained, as the C library and the system identify it. The entry stays when the thread ends: a thread that gets
/// its memory replaces it, because it is entered before it drains.
static struct {
    _Atomic uint64_t thread;
    atomic_int id;
} threads[most_threads];
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

void gatehouse_know_thread(void) {
    const uint64_t thread = gatehouse_recorder_thread();
    pthread_mutex_lock(&guard);
    for (int index = 0; index < most_threads; index++) {
        const uint64_t known = atomic_load(&threads[index].thread);
        if (known != 0 && known != thread) { continue; }
        atomic_store(&threads[index].id, gettid());
        atomic_store(&threads[index].thread, thread);
        break;
    }
    pthread_mutex_unlock(&guard);
}

/// The system's id of a thread; 0 for an unknown one.
static pid_t id_of(uint64_t thread) {
    for (int index = 0; index < most_threads; index++) {
        const uint64_t known = atomic_load(&threads[index].thread);
        if (known == 0) { return 0; }
        if (known == thread) { return atomic_load(&threads[index].id); }
    }
    return 0;
}

// MARK: - Stacks

/// The state of a question.
enum { nobody_asks = 0, is_asked = 1, is_answering = 2, is_answered = 3 };
static atomic_int state;
/// The thread that is asked.
static atomic_int asked;
static uint64_t answer[GATEHOUSE_STACK_FRAMES];
static size_t answer_count;

/// Answers on the thread that is asked, and does nothing on any other.
static void show_stack(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)info;
    const int error = errno;
    int expected = is_asked;
    if (atomic_load(&asked) == gettid() && atomic_compare_exchange_strong(&state, &expected, is_answering)) {
        answer_count = collect_frames(registers_of(context), answer, GATEHOUSE_STACK_FRAMES);
        atomic_store(&state, is_answered);
    }
    errno = error;
}

/// Installs the handler, unless there is another one.
static bool is_prepared(void) {
    struct sigaction now;
    if (sigaction(SIGPROF, NULL, &now) != 0) { return false; }
    if (now.sa_flags & SA_SIGINFO) { return now.sa_sigaction == show_stack; }
    if (now.sa_handler != SIG_DFL) { return false; }
    // It stays installed: the signal may arrive late, and would end the process.
    struct sigaction action = {.sa_sigaction = show_stack, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    sigemptyset(&action.sa_mask);
    return sigaction(SIGPROF, &action, NULL) == 0;
}

size_t gatehouse_stack_of(uint64_t thread, uint64_t *addresses, size_t room, int milliseconds) {
    const pid_t id = id_of(thread);
    return id == 0 ? 0 : gatehouse_stack_of_id(id, addresses, room, milliseconds);
}

size_t gatehouse_stack_of_id(int32_t id, uint64_t *addresses, size_t room, int milliseconds) {
    if (!is_prepared()) { return 0; }
    atomic_store(&asked, id);
    atomic_store(&state, is_asked);
    if (tgkill(getpid(), id, SIGPROF) != 0) {
        atomic_store(&state, nobody_asks);
        return 0;
    }
    const struct timespec moment = {.tv_nsec = 1000000};
    for (int turn = 0; turn < milliseconds && atomic_load(&state) != is_answered; turn++) { nanosleep(&moment, NULL); }
    // Waits for a thread that has begun to answer, because it is writing.
    int expected = is_asked;
    if (atomic_compare_exchange_strong(&state, &expected, nobody_asks)) { return 0; }
    while (atomic_load(&state) != is_answered) { nanosleep(&moment, NULL); }
    const size_t count = answer_count < room ? answer_count : room;
    memcpy(addresses, answer, count * sizeof *addresses);
    atomic_store(&state, nobody_asks);
    return count;
}
