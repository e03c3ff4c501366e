// SPDX-License-Identifier: Apache-2.0

// sigaction's extensions and the names of its codes are hidden under strict C17.
#define _GNU_SOURCE

#include "gatehouse_linux.h"

#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#if defined(__x86_64__)

// Processors of virtual machines seldom offer counters of instructions, and perf_event_open needs rights that a confined process has
// not. The trap flag is part of the processor: after each instruction it calls the handler, which counts.

static _Thread_local unsigned long long stepped;
static _Thread_local unsigned long long most;
static struct sigaction earlier;

static void count_step(int signal, siginfo_t *info, void *context) {
    if (info->si_code == TRAP_TRACE) {
        if (++stepped >= most) { ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100LL; }
        return;
    }
    // A trap of the program itself, which nobody expects while it is counted.
    sigaction(SIGTRAP, &earlier, NULL);
    raise(signal);
}

int gatehouse_begin_steps(unsigned long long limit) {
    struct sigaction action = {.sa_sigaction = count_step, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGTRAP, &action, &earlier) != 0) { return -errno; }
    stepped = 0;
    most = limit;
    // The first move leaves the area below the stack pointer alone, which a function without calls may use.
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
                     "pushfq\n\t"
                     "orq $0x100, (%%rsp)\n\t"
                     "popfq\n\t"
                     "leaq 128(%%rsp), %%rsp" ::: "memory", "cc");
    return 0;
}

unsigned long long gatehouse_end_steps(void) {
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
                     "pushfq\n\t"
                     "andq $-257, (%%rsp)\n\t"
                     "popfq\n\t"
                     "leaq 128(%%rsp), %%rsp" ::: "memory", "cc");
    sigaction(SIGTRAP, &earlier, NULL);
    return stepped;
}

#else

int gatehouse_begin_steps(unsigned long long limit) {
    (void)limit;
    return -ENOTSUP;
}

unsigned long long gatehouse_end_steps(void) { return 0; }

#endif
