// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "gatehouse_linux.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *gatehouse_signal_name(int signal) { return sigabbrev_np(signal); }

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status;
    (void)kind;
    (void)place;
    return remove(path) == 0 ? 0 : -errno;
}

int gatehouse_remove_tree(const char *path) {
    const int result = nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return result == -1 ? -errno : result;
}

int gatehouse_open_process(int process) {
    const long descriptor = syscall(SYS_pidfd_open, process, 0);
    return descriptor < 0 ? -errno : (int)descriptor;
}

int gatehouse_end_with_parent(int parent) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) { return -errno; }
    // A parent that ended before this sends no signal.
    return getppid() == parent ? 0 : -ESRCH;
}

int gatehouse_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 ? 0 : -errno; }

unsigned long gatehouse_signal_action(int signal) {
    struct sigaction action;
    if (sigaction(signal, NULL, &action) != 0) { return 0; }
    return (unsigned long)action.sa_sigaction;
}
