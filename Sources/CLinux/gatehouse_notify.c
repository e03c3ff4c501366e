// SPDX-License-Identifier: Apache-2.0

#include "gatehouse_linux.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int gatehouse_notify(const char *address, const char *message, int milliseconds) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const size_t length = strlen(address);
    if (length < 2 || (address[0] != '/' && address[0] != '@')) { return -EINVAL; }
    if (length > sizeof name.sun_path - 1) { return -ENAMETOOLONG; }
    memcpy(name.sun_path, address, length);
    // A name without a file begins with a zero byte, which no variable of the environment can hold.
    if (address[0] == '@') { name.sun_path[0] = '\0'; }
    const int sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (sender < 0) { return -errno; }
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    const size_t count = strlen(message);
    int result = 0;
    if (connect(sender, (const struct sockaddr *)&name, size) != 0) {
        result = -errno;
    } else if (send(sender, message, count, MSG_NOSIGNAL) < 0) {
        result = -errno;
        struct pollfd room = {.fd = sender, .events = POLLOUT};
        if (result == -EAGAIN && milliseconds > 0 && poll(&room, 1, milliseconds) == 1) {
            result = send(sender, message, count, MSG_NOSIGNAL) < 0 ? -errno : 0;
        }
    }
    close(sender);
    return result;
}
