// SPDX-License-Identifier: Apache-2.0

#include "gatehouse_linux.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

int gatehouse_send_with(int sender, const void *bytes, size_t count, int descriptor) {
    struct iovec part = {(void *)bytes, count};
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
    return sendmsg(sender, &header, MSG_NOSIGNAL) < 0 ? -errno : 0;
}
