// SPDX-License-Identifier: Apache-2.0

#include "gatehouse_linux.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

/// Handling more than this many at once would only delay the others.
enum { most_ready = 64 };

int gatehouse_poll_open(void) {
    const int set = epoll_create1(EPOLL_CLOEXEC);
    if (set < 0) { return -errno; }
    gatehouse_own(set);
    return set;
}

int gatehouse_poll_set(int set, int descriptor, int readiness, unsigned long long token) {
    struct epoll_event event = {.data.u64 = token};
    if (readiness & GATEHOUSE_READABLE) { event.events |= EPOLLIN; }
    if (readiness & GATEHOUSE_WRITABLE) { event.events |= EPOLLOUT; }
    if (readiness & GATEHOUSE_ONCE) { event.events |= EPOLLONESHOT; }
    if (epoll_ctl(set, EPOLL_CTL_MOD, descriptor, &event) == 0) { return 0; }
    if (errno != ENOENT) { return -errno; }
    return epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : -errno;
}

int gatehouse_poll_remove(int set, int descriptor) {
    return epoll_ctl(set, EPOLL_CTL_DEL, descriptor, NULL) == 0 ? 0 : -errno;
}

int gatehouse_poll_wait(int set, struct gatehouse_ready *ready, int capacity, int milliseconds) {
    struct epoll_event events[most_ready];
    const int count = epoll_wait(set, events, capacity < most_ready ? capacity : most_ready, milliseconds);
    if (count < 0) { return errno == EINTR ? 0 : -errno; }
    for (int index = 0; index < count; index++) {
        const unsigned int found = events[index].events;
        ready[index].token = events[index].data.u64;
        ready[index].readiness = (found & EPOLLIN ? GATEHOUSE_READABLE : 0) |
            (found & EPOLLOUT ? GATEHOUSE_WRITABLE : 0) | (found & (EPOLLHUP | EPOLLERR) ? GATEHOUSE_HUNG_UP : 0);
    }
    return count;
}

int gatehouse_counter_open(void) {
    const int counter = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (counter < 0) { return -errno; }
    gatehouse_own(counter);
    return counter;
}
