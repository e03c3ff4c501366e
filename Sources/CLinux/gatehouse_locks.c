// SPDX-License-Identifier: Apache-2.0

// Locks of open files are an extension that the C library declares only on request.
#define _GNU_SOURCE

#include "gatehouse_linux.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

/// Locks one byte; the command determines whether to wait.
static int lock_byte(int descriptor, long long byte, short type, int command) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    int result;
    do { result = fcntl(descriptor, command, &lock); } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

/// The lock belongs to this opening of the file, so no child may keep it open.
static int keep(int descriptor, int result) {
    if (result == 0) { gatehouse_own(descriptor); }
    return result;
}

int gatehouse_lock_share(int descriptor, long long byte) {
    return keep(descriptor, lock_byte(descriptor, byte, F_RDLCK, F_OFD_SETLKW));
}

int gatehouse_lock_alone(int descriptor, long long byte) {
    return keep(descriptor, lock_byte(descriptor, byte, F_WRLCK, F_OFD_SETLK));
}

int gatehouse_lock_release(int descriptor, long long byte) {
    return lock_byte(descriptor, byte, F_UNLCK, F_OFD_SETLK);
}
