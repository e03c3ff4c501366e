// SPDX-License-Identifier: Apache-2.0

// gettid, SA_ONSTACK and RTLD_NEXT are hidden under strict C17.
#define _GNU_SOURCE

#include "gatehouse_recorder.h"
#include "gatehouse_linux.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

// libdispatch's interface for run loops such as Foundation's, without a header. The first returns a descriptor that is readable while
// the main queue has work, the second does that work; only the main thread may call it.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

/// Replaces libdispatch's own function for all code in the process: Foundation calls it when it is loaded, and would make the thread
/// that loads it the one of the main queue. libdispatch has called it by itself before `main`.
void libdispatch_init(void) {
    if (gettid() != getpid()) { return; }
    void (*initialize)(void) = (void (*)(void))dlsym(RTLD_NEXT, "libdispatch_init");
    if (initialize != NULL) { initialize(); }
}

/// The thread that does the program's work; 0 before it runs.
static atomic_int worker;
/// The previous handler of the signal.
static struct sigaction earlier;

void gatehouse_begin_work(void) { atomic_store(&worker, (int)gettid()); }

/// Passes a signal of another process on to the working thread: it asks where the program hangs, and the system delivers it to the
/// main thread, which only waits.
static void pass_on(int signal, siginfo_t *info, void *context) {
    const int before = errno;
    const bool is_sent = info->si_code <= 0 && info->si_code != SI_TKILL && info->si_pid != getpid();
    const int thread = atomic_load(&worker);
    // It still names its sender; the system lets no thread send another one a signal that looks like kill.
    siginfo_t question = *info;
    question.si_code = SI_QUEUE;
    if (is_sent && thread != 0 && gettid() == getpid()
        && syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, signal, &question) == 0) {
        errno = before;
        return;
    }
    if (earlier.sa_flags & SA_SIGINFO) {
        earlier.sa_sigaction(signal, info, context);
    } else if (earlier.sa_handler != SIG_DFL && earlier.sa_handler != SIG_IGN) {
        earlier.sa_handler(signal);
    } else {
        sigaction(signal, &earlier, NULL);
        if (earlier.sa_handler == SIG_DFL) { raise(signal); }
    }
    errno = before;
}

/// Installs `pass_on` for SIGABRT, with the flags and mask of the previous handler.
static void take_questions(void) {
    if (sigaction(SIGABRT, NULL, &earlier) != 0) { return; }
    struct sigaction action = earlier;
    action.sa_sigaction = pass_on;
    action.sa_flags |= SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGABRT, &action, NULL);
}

int gatehouse_serve_main_queue(void *(*function)(void *context), void *context) {
    const int queue = _dispatch_get_main_queue_handle_4CF();
    gatehouse_own(queue);
    take_questions();
    const int refused = gatehouse_start_thread(function, context);
    if (refused != 0) { return refused; }
    struct pollfd waited = {.fd = queue, .events = POLLIN};
    for (;;) {
        const int count = poll(&waited, 1, -1);
        if (count < 0 && errno == EINTR) { continue; }
        // Some code closed it in a way that could not be intercepted.
        if (count < 0 || waited.revents & POLLNVAL) { gatehouse_end_without_descriptors(); }
        eventfd_t value;
        if (eventfd_read(queue, &value) == 0 || errno == EAGAIN) { _dispatch_main_queue_callback_4CF(NULL); }
    }
}
