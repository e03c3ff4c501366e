// SPDX-License-Identifier: Apache-2.0

// accept4 and the credentials of the peer are extensions that the C library declares only on request.
#define _GNU_SOURCE

#include "gatehouse_linux.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/// Creates a socket and the address of a path; returns the descriptor.
static int make_socket(const char *path, int kind, struct sockaddr_un *address) {
    const size_t length = strlen(path);
    if (length > GATEHOUSE_LOCAL_PATH_BYTES) { return -ENAMETOOLONG; }
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, length);
    const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | kind, 0);
    return made >= 0 ? made : -errno;
}

/// Closes a descriptor and returns the error of the call before.
static int give_up(int descriptor) {
    const int reason = errno;
    close(descriptor);
    return -reason;
}

int gatehouse_local_listen(const char *path, int mode) {
    struct sockaddr_un address;
    const int made = make_socket(path, SOCK_NONBLOCK, &address);
    if (made < 0) { return made; }
    // The socket's own mode becomes that of its file, less the umask of the process, so nobody else gets in before the
    // chmod.
    if (fchmod(made, (mode_t)mode) != 0) { return give_up(made); }
    if (bind(made, (const struct sockaddr *)&address, sizeof address) != 0) { return give_up(made); }
    if (chmod(path, (mode_t)mode) != 0 || listen(made, SOMAXCONN) != 0) {
        const int reason = errno;
        unlink(path);
        close(made);
        return -reason;
    }
    gatehouse_own(made);
    return made;
}

int gatehouse_local_connect(const char *path) {
    struct sockaddr_un address;
    const int made = make_socket(path, 0, &address);
    if (made < 0) { return made; }
    while (connect(made, (const struct sockaddr *)&address, sizeof address) != 0) {
        if (errno != EINTR) { return give_up(made); }
    }
    return made;
}

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

long gatehouse_local_send(int socket, const void *bytes, size_t count) {
    const ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent >= 0 ? (long)sent : -errno;
}

int gatehouse_terminal_size(int descriptor, int *rows, int *columns) {
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) { return -errno; }
    *rows = size.ws_row;
    *columns = size.ws_col;
    return 0;
}
