// SPDX-License-Identifier: Apache-2.0

// Both declarations below are extensions that the C library declares only on request.
#define _GNU_SOURCE

#include "gatehouse_linux.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

// C libraries older than the kernel lack the name; the value is fixed kernel ABI.
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

int gatehouse_memfd_create(const char *name) {
    const unsigned int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int descriptor = memfd_create(name, flags | MFD_EXEC);
    // A kernel before 6.3 rejects the unknown flag. A name that is too long is rejected in the same way; then
    // the second attempt reports just that.
    if (descriptor < 0 && errno == EINVAL) { descriptor = memfd_create(name, flags); }
    return descriptor < 0 ? -errno : descriptor;
}

int gatehouse_memfd_seal(int descriptor) {
    const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    return fcntl(descriptor, F_ADD_SEALS, seals) < 0 ? -errno : 0;
}

int gatehouse_memfd_fix_size(int descriptor) {
    return fcntl(descriptor, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW) < 0 ? -errno : 0;
}
