// SPDX-License-Identifier: Apache-2.0

// MSG_CMSG_CLOEXEC is an extension that the C library declares only on request.
#define _GNU_SOURCE

#include "gatehouse_linux.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

long gatehouse_receive_with(int receiver, void *bytes, size_t room, int *descriptor) {
    // Room for more descriptors than anybody sends: the system closes any that do not fit.
    union {
        char bytes[CMSG_SPACE(4 * sizeof(int))];
        struct cmsghdr alignment;
    } control;
    struct iovec part = {bytes, room};
    struct msghdr header = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    *descriptor = -1;
    ssize_t count;
    do { count = recvmsg(receiver, &header, MSG_CMSG_CLOEXEC); } while (count < 0 && errno == EINTR);
    if (count < 0) { return -errno; }
    for (struct cmsghdr *item = CMSG_FIRSTHDR(&header); item != NULL; item = CMSG_NXTHDR(&header, item)) {
        if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS) { continue; }
        const size_t size = item->cmsg_len - CMSG_LEN(0);
        for (size_t place = 0; place + sizeof(int) <= size; place += sizeof(int)) {
            int received;
            memcpy(&received, CMSG_DATA(item) + place, sizeof received);
            if (*descriptor < 0) { *descriptor = received; } else { close(received); }
        }
    }
    if (header.msg_flags & MSG_TRUNC) {
        if (*descriptor >= 0) { close(*descriptor); }
        *descriptor = -1;
        return -EMSGSIZE;
    }
    return count;
}
