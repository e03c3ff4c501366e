// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "gatehouse_tracing.h"

#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

int gatehouse_trace(int process) { return ptrace(PTRACE_SEIZE, process, NULL, NULL) == 0 ? 0 : errno; }

int gatehouse_release(int process) {
    // Only one that is stopped can be let go.
    if (ptrace(PTRACE_INTERRUPT, process, NULL, NULL) != 0) { return errno; }
    if (waitpid(process, NULL, __WALL) != process) { return errno; }
    return ptrace(PTRACE_DETACH, process, NULL, NULL) == 0 ? 0 : errno;
}
