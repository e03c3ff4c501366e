// SPDX-License-Identifier: Apache-2.0

// sigaction, pipe2 and ppoll's relatives are hidden under strict C17.
#define _GNU_SOURCE

#include "gatehouse_linux.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/// The pipe that the handler writes to; set before the handler is installed.
static int arrived_signals = -1;
/// The process that reads it; a process forked from this one is another.
static pid_t reader;

/// Writes a signal to the pipe. A full pipe holds more signals than anybody counts.
static void hand_on(int signal) {
    if (getpid() != reader) {
        gatehouse_end_by_signal(signal);
        return;
    }
    const int before = errno;
    const unsigned char number = (unsigned char)signal;
    const ssize_t count = write(arrived_signals, &number, 1);
    (void)count;
    errno = before;
}

/// Does nothing; unlike SIG_IGN, it is not inherited by an executed program.
static void let_fail(int signal) { (void)signal; }

/// Handles a signal, unless it was ignored when this program was started.
static int take(int signal) {
    struct sigaction now;
    if (sigaction(signal, NULL, &now) != 0) { return -errno; }
    if (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_IGN) { return 0; }
    struct sigaction action = {.sa_handler = hand_on, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    return sigaction(signal, &action, NULL) == 0 ? 0 : -errno;
}

static const int taken_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { taken_count = sizeof taken_signals / sizeof *taken_signals };

/// Unblocks the signals on the calling thread, whatever mask it inherited.
static void unblock(void) {
    sigset_t signals;
    sigemptyset(&signals);
    for (size_t index = 0; index < taken_count; index++) { sigaddset(&signals, taken_signals[index]); }
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

int gatehouse_signals_open(void) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) { return -errno; }
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    arrived_signals = ends[1];
    gatehouse_own(ends[0]);
    gatehouse_own(ends[1]);
    reader = getpid();
    for (size_t index = 0; index < taken_count; index++) {
        const int refused = take(taken_signals[index]);
        if (refused != 0) { return refused; }
    }
    // The parent may have blocked them; and threads of a pool block them in everything that they fork.
    unblock();
    pthread_atfork(NULL, NULL, unblock);
    return ends[0];
}

int gatehouse_signals_next(int descriptor) {
    unsigned char number;
    ssize_t count;
    do { count = read(descriptor, &number, 1); } while (count < 0 && errno == EINTR);
    return count == 1 ? number : count == 0 ? -EBADF : -errno;
}

int gatehouse_outlive(int signal) {
    struct sigaction action = {.sa_handler = let_fail, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    return sigaction(signal, &action, NULL) == 0 ? 0 : -errno;
}

void gatehouse_end_by_signal(int signal) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, signal);
    sigprocmask(SIG_UNBLOCK, &signals, NULL);
    kill(getpid(), signal);
}
