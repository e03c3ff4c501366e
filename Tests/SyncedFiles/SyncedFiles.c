// SPDX-License-Identifier: Apache-2.0

// Preloaded into a program, keeps a copy of each file as it was when the program last had it synced, under its name with
// ".synced" behind it, for files below the folder that SYNCED_BELOW names. What the machine has after a power failure is no older
// than these copies; it may be no younger.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "SyncedFiles.h"

/// Puts the path of a file's copy into a buffer; 0 for a file that none is kept of.
static int path_of_copy(const char *path, char *copy, size_t size) {
    const char *folder = getenv("SYNCED_BELOW");
    size_t length = strlen(path), end = strlen(".synced");
    if (!folder || strncmp(path, folder, strlen(folder)) != 0) return 0;
    if (length > end && strcmp(path + length - end, ".synced") == 0) return 0;
    return snprintf(copy, size, "%s.synced", path) < (int)size;
}

/// Copies the file of a descriptor; the copy takes its place in one step, because the process may be killed at any moment.
static void keep(int descriptor) {
    char link[64], path[4096], copy[4200], next[4240], bytes[1 << 16];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return;
    path[length] = 0;
    if (!path_of_copy(path, copy, sizeof copy)) return;
    // Two threads may sync one file.
    snprintf(next, sizeof next, "%s.%d", copy, gettid());
    int target = open(next, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (target < 0) return;
    off_t at = 0;
    ssize_t count;
    while ((count = pread(descriptor, bytes, sizeof bytes, at)) > 0 && write(target, bytes, (size_t)count) == count)
        at += count;
    close(target);
    rename(next, copy);
}

/// Calls the function that this one stands before, and keeps a copy when it has synced the file.
static int sync_by(const char *name, int descriptor) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    int result = real(descriptor), code = errno;
    if (result == 0) keep(descriptor);
    errno = code;
    return result;
}

int fsync(int descriptor) { return sync_by("fsync", descriptor); }

int fdatasync(int descriptor) { return sync_by("fdatasync", descriptor); }

int unlink(const char *path) {
    int (*real)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "unlink");
    char copy[4200];
    int result = real(path), code = errno;
    if (result == 0 && path_of_copy(path, copy, sizeof copy)) real(copy);
    errno = code;
    return result;
}
