// SPDX-License-Identifier: Apache-2.0

// accept4 and the credentials of the peer are extensions that the C library declares only on request.
#define _GNU_SOURCE

#include "gatehouse_linux.h"

#include <errno.h>
#include <sys/socket.h>

int gatehouse_local_accept(int listener) {
    const int accepted = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted < 0) { return -errno; }
    gatehouse_own(accepted);
    return accepted;
}

long long gatehouse_local_user(int socket) {
    struct ucred other;
    socklen_t size = sizeof other;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &size) != 0) { return -errno; }
    return other.uid;
}

int gatehouse_local_process(int socket) {
    struct ucred other;
    socklen_t size = sizeof other;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &size) != 0) { return -errno; }
    return other.pid > 0 ? other.pid : -ESRCH;
}
