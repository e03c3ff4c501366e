// SPDX-License-Identifier: Apache-2.0

#include "gatehouse_linux.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// Sends a text, and a descriptor unless it is negative.
static ssize_t send_text(int sender, const char *text, int descriptor) {
    struct iovec part = {(void *)text, strlen(text)};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr alignment;
    } control;
    if (descriptor >= 0) {
        memset(&control, 0, sizeof control);
        header.msg_control = control.bytes;
        header.msg_controllen = sizeof control.bytes;
        struct cmsghdr *item = CMSG_FIRSTHDR(&header);
        item->cmsg_level = SOL_SOCKET;
        item->cmsg_type = SCM_RIGHTS;
        item->cmsg_len = CMSG_LEN(sizeof descriptor);
        memcpy(CMSG_DATA(item), &descriptor, sizeof descriptor);
    }
    return sendmsg(sender, &header, MSG_NOSIGNAL);
}

int gatehouse_notify(const char *address, const char *message, int descriptor, int milliseconds) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const size_t length = strlen(address);
    if (length < 2 || (address[0] != '/' && address[0] != '@')) { return -EINVAL; }
    if (length > sizeof name.sun_path - 1) { return -ENAMETOOLONG; }
    memcpy(name.sun_path, address, length);
    // A name without a file begins with a zero byte, which no environment variable can hold.
    if (address[0] == '@') { name.sun_path[0] = '\0'; }
    const int sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (sender < 0) { return -errno; }
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    int result = 0;
    if (connect(sender, (const struct sockaddr *)&name, size) != 0) {
        result = -errno;
    } else if (send_text(sender, message, descriptor) < 0) {
        result = -errno;
        struct pollfd room = {.fd = sender, .events = POLLOUT};
        if (result == -EAGAIN && milliseconds > 0 && poll(&room, 1, milliseconds) == 1) {
            result = send_text(sender, message, descriptor) < 0 ? -errno : 0;
        }
    }
    close(sender);
    return result;
}
