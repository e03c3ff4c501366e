// SPDX-License-Identifier: Apache-2.0

// pthread_sigmask and signalfd are hidden under strict C17.
#define _GNU_SOURCE

#include "gatehouse_linux.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

int gatehouse_signals_open(bool hang_up) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    if (hang_up) { sigaddset(&signals, SIGHUP); }
    // Blocked first: a signal between the two calls then waits for the descriptor instead of ending the
    // process.
    const int refused = pthread_sigmask(SIG_BLOCK, &signals, NULL);
    if (refused != 0) { return -refused; }
    const int descriptor = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    return descriptor < 0 ? -errno : descriptor;
}

int gatehouse_signals_next(int descriptor) {
    struct signalfd_siginfo arrived;
    ssize_t count;
    do { count = read(descriptor, &arrived, sizeof arrived); } while (count < 0 && errno == EINTR);
    if (count < 0) { return errno == EAGAIN ? 0 : -errno; }
    // The kernel hands out whole records only; anything else is not a signal descriptor.
    return count == (ssize_t)sizeof arrived ? (int)arrived.ssi_signo : -EINVAL;
}

int gatehouse_ignore_broken_pipe(void) { return signal(SIGPIPE, SIG_IGN) == SIG_ERR ? -errno : 0; }
