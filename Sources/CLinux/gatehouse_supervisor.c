// SPDX-License-Identifier: Apache-2.0

// The credentials of a sender are an extension that the C library declares only on request.
#define _GNU_SOURCE

#include "gatehouse_linux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void fill(sigset_t *signals) {
    sigemptyset(signals);
    const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) { sigaddset(signals, numbers[index]); }
}

int gatehouse_supervisor_signals(void) {
    sigset_t signals;
    fill(&signals);
    if (sigprocmask(SIG_BLOCK, &signals, NULL) != 0) { return -errno; }
    const int descriptor = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    return descriptor >= 0 ? descriptor : -errno;
}

int gatehouse_supervisor_signal(int descriptor, bool *is_from_terminal) {
    struct signalfd_siginfo info;
    const ssize_t count = read(descriptor, &info, sizeof info);
    if (count != (ssize_t)sizeof info) { return count < 0 ? -errno : -EAGAIN; }
    *is_from_terminal = info.ssi_code == SI_KERNEL;
    return (int)info.ssi_signo;
}

/// Executes the program; does not return.
static void become(
    const char *program, char *const *arguments, char *const *environment, char *identifier,
    const int *descriptors, int count) {
    // First moves all descriptors above the target range, so that none is overwritten.
    const int first = 3;
    int copies[256];
    if (count > 256) { _exit(127); }
    for (int index = 0; index < count; index++) {
        copies[index] = fcntl(descriptors[index], F_DUPFD_CLOEXEC, first + count);
        if (copies[index] < 0) { _exit(127); }
    }
    for (int index = 0; index < count; index++) { dup2(copies[index], first + index); }
    unsigned number = (unsigned)getpid();
    for (int place = 9; place >= 0; place--) {
        identifier[place] = (char)('0' + number % 10);
        number /= 10;
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(program, arguments, environment);
    _exit(127);
}

int gatehouse_start_successor(
    const char *program, char *const *arguments, char *const *environment, char *identifier,
    const int *descriptors, int count, int output) {
    const pid_t child = _Fork();
    if (child == 0) {
        if (output >= 0 && dup2(output, STDOUT_FILENO) < 0) { _exit(127); }
        // What plugins have opened without care stays here: a connection would not end before both processes have.
        syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
        become(program, arguments, environment, identifier, descriptors, count);
    }
    return child < 0 ? -errno : (int)child;
}

void gatehouse_stop_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGTERM); }

int gatehouse_start_supervised(
    const char *program, char *const *arguments, char *const *environment, char *identifier,
    const int *descriptors, int count) {
    const pid_t parent = getpid();
    // Skips the fork handlers, which would close the descriptors to pass on.
    const pid_t child = _Fork();
    if (child == 0) {
        gatehouse_stop_with_parent();
        if (getppid() != parent) { _exit(127); }
        become(program, arguments, environment, identifier, descriptors, count);
    }
    return child < 0 ? -errno : (int)child;
}

int gatehouse_ended_child(void) {
    siginfo_t info = {.si_pid = 0};
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 ? (int)info.si_pid : 0;
}

// MARK: - What the host tells the service manager

long gatehouse_relay_take(int relay, int process, char *message, size_t room, int *descriptor) {
    // Room for more descriptors than anybody sends: the system closes any that do not fit.
    union {
        char bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(4 * sizeof(int))];
        struct cmsghdr alignment;
    } control;
    struct iovec part = {message, room - 1};
    struct msghdr header = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    *descriptor = -1;
    const ssize_t count = recvmsg(relay, &header, MSG_CMSG_CLOEXEC);
    if (count < 0) { return -errno; }
    bool is_meant = false;
    for (struct cmsghdr *item = CMSG_FIRSTHDR(&header); item != NULL; item = CMSG_NXTHDR(&header, item)) {
        if (item->cmsg_level != SOL_SOCKET) { continue; }
        if (item->cmsg_type == SCM_CREDENTIALS) {
            struct ucred sender;
            memcpy(&sender, CMSG_DATA(item), sizeof sender);
            is_meant = sender.pid == process;
        } else if (item->cmsg_type == SCM_RIGHTS) {
            const size_t bytes = item->cmsg_len - CMSG_LEN(0);
            for (size_t place = 0; place + sizeof(int) <= bytes; place += sizeof(int)) {
                int received;
                memcpy(&received, CMSG_DATA(item) + place, sizeof received);
                if (*descriptor < 0) { *descriptor = received; } else { close(received); }
            }
        }
    }
    if (!is_meant) {
        if (*descriptor >= 0) { close(*descriptor); }
        *descriptor = -1;
        return 0;
    }
    message[count] = '\0';
    return count;
}
