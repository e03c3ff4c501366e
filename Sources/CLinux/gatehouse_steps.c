// SPDX-License-Identifier: Apache-2.0

// sigaction's extensions and the names of its codes are hidden under strict C17.
#define _GNU_SOURCE

#include "gatehouse_linux.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <ucontext.h>

#if defined(__x86_64__)

// Processors of virtual machines seldom offer counters of instructions, and perf_event_open needs rights that a confined process has
// not. The trap flag is part of the processor: after each instruction it calls the handler, which counts.

static _Thread_local unsigned long long stepped;
static _Atomic unsigned long long most;
static struct sigaction earlier;

static void count_step(int signal, siginfo_t *info, void *context) {
    if (info->si_code == TRAP_TRACE) {
        if (++stepped >= atomic_load_explicit(&most, memory_order_relaxed)) {
            ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100LL;
        }
        return;
    }
    // A trap of the program itself, which nobody expects while it is counted.
    sigaction(SIGTRAP, &earlier, NULL);
    raise(signal);
}

int gatehouse_claim_steps(unsigned long long limit) {
    struct sigaction action = {.sa_sigaction = count_step, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    atomic_store(&most, limit);
    return sigaction(SIGTRAP, &action, &earlier) == 0 ? 0 : -errno;
}

void gatehouse_release_steps(void) { sigaction(SIGTRAP, &earlier, NULL); }

void gatehouse_limit_steps(unsigned long long limit) { atomic_store(&most, limit); }

void gatehouse_begin_steps(void) {
    if (stepped >= atomic_load(&most)) { return; }
    // The first move leaves the area below the stack pointer alone, which a function without calls may use.
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
                     "pushfq\n\t"
                     "orq $0x100, (%%rsp)\n\t"
                     "popfq\n\t"
                     "leaq 128(%%rsp), %%rsp" ::: "memory", "cc");
}

void gatehouse_pause_steps(void) {
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
                     "pushfq\n\t"
                     "andq $-257, (%%rsp)\n\t"
                     "popfq\n\t"
                     "leaq 128(%%rsp), %%rsp" ::: "memory", "cc");
}

unsigned long long gatehouse_take_steps(void) {
    const unsigned long long taken = stepped;
    stepped = 0;
    return taken;
}

#else

int gatehouse_claim_steps(unsigned long long limit) {
    (void)limit;
    return -ENOTSUP;
}

void gatehouse_release_steps(void) {}

void gatehouse_limit_steps(unsigned long long limit) { (void)limit; }

void gatehouse_begin_steps(void) {}

void gatehouse_pause_steps(void) {}

unsigned long long gatehouse_take_steps(void) { return 0; }

#endif
