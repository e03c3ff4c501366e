// SPDX-License-Identifier: Apache-2.0

// When preloaded into a program, keeps a copy of each file below the folder that SYNCED_BELOW names as it was at its last sync, under
// its name followed by ".synced". The machine's files after a power failure are no older than these copies, but may be newer. The
// file that SYNCED_LOG names gets a line for each such sync, and for each folder made and each name given, which are on the disk only
// after a sync of the folder above.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "SyncedFiles.h"

/// Writes the path of a file's copy to a buffer; 0 for a file without one.
static int path_of_copy(const char *path, char *copy, size_t size) {
    const char *folder = getenv("SYNCED_BELOW");
    size_t length = strlen(path), end = strlen(".synced");
    if (!folder || strncmp(path, folder, strlen(folder)) != 0) return 0;
    if (length > end && strcmp(path + length - end, ".synced") == 0) return 0;
    return snprintf(copy, size, "%s.synced", path) < (int)size;
}

/// Writes the path of an entry of a folder to a buffer, with the folder's links resolved; 0 where there is no such folder.
static int whole_path(int folder, const char *name, char *path) {
    char place[PATH_MAX], real[PATH_MAX];
    if (folder == AT_FDCWD || name[0] == '/') snprintf(place, sizeof place, "%s", name);
    else snprintf(place, sizeof place, "/proc/self/fd/%d/%s", folder, name);
    char *slash = strrchr(place, '/');
    if (slash) *slash = 0;
    if (!realpath(!slash ? "." : slash == place ? "/" : place, real)) return 0;
    return snprintf(path, PATH_MAX, "%s/%s", real, slash ? slash + 1 : place) < PATH_MAX;
}

/// Appends a line to the log, if one is wanted; in one call, because threads and processes share it.
static void tell(const char *what, const char *path, const char *other) {
    const char *log = getenv("SYNCED_LOG");
    char line[2 * PATH_MAX + 16];
    if (!log) return;
    int file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) return;
    int length = snprintf(line, sizeof line, "%s\t%s\t%s\n", what, path, other);
    if (length > 0 && length < (int)sizeof line && write(file, line, (size_t)length) < 0) abort();
    close(file);
}

/// Logs that an entry of a folder has a name from here on; `from` is its former, or other, name.
static void tell_name(const char *what, int folder, const char *name, int from_folder, const char *from) {
    char path[PATH_MAX], other[PATH_MAX] = "";
    int code = errno;
    if (whole_path(folder, name, path) && (!from || whole_path(from_folder, from, other))) tell(what, path, other);
    errno = code;
}

/// Copies the file of a descriptor; the copy replaces the last one in one step, because the process may be killed at any moment.
static void keep(int descriptor) {
    char link[64], path[4096], copy[4200], next[4240], bytes[1 << 16];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return;
    path[length] = 0;
    tell("sync", path, "");
    if (!path_of_copy(path, copy, sizeof copy)) return;
    // Two threads may sync one file.
    snprintf(next, sizeof next, "%s.%d", copy, gettid());
    int target = open(next, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (target < 0) return;
    // The descriptor itself may only be written to.
    int source = open(link, O_RDONLY | O_CLOEXEC);
    ssize_t count;
    while (source >= 0 && (count = read(source, bytes, sizeof bytes)) > 0) {
        if (write(target, bytes, (size_t)count) != count) break;
    }
    if (source >= 0) close(source);
    close(target);
    rename(next, copy);
}

/// Calls the function that this one replaces, and keeps a copy when it has synced the file.
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

int mkdir(const char *path, mode_t mode) {
    int (*real)(const char *, mode_t) = (int (*)(const char *, mode_t))dlsym(RTLD_NEXT, "mkdir");
    int result = real(path, mode);
    if (result == 0) tell_name("folder", AT_FDCWD, path, AT_FDCWD, NULL);
    return result;
}

int mkdirat(int folder, const char *path, mode_t mode) {
    int (*real)(int, const char *, mode_t) = (int (*)(int, const char *, mode_t))dlsym(RTLD_NEXT, "mkdirat");
    int result = real(folder, path, mode);
    if (result == 0) tell_name("folder", folder, path, AT_FDCWD, NULL);
    return result;
}

int rename(const char *from, const char *to) {
    int (*real)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    char path[PATH_MAX], other[PATH_MAX], copy[4200], next[4200];
    int result = real(from, to), code = errno;
    // What was synced is on the disk under whichever name the folder has for it; hosts sync the folder too.
    if (result == 0 && whole_path(AT_FDCWD, from, path) && path_of_copy(path, copy, sizeof copy)
        && whole_path(AT_FDCWD, to, other) && path_of_copy(other, next, sizeof next)) {
        real(copy, next);
    }
    errno = code;
    if (result == 0) tell_name("name", AT_FDCWD, to, AT_FDCWD, from);
    return result;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    int (*real)(int, const char *, int, const char *) =
        (int (*)(int, const char *, int, const char *))dlsym(RTLD_NEXT, "renameat");
    int result = real(from_folder, from, to_folder, to);
    if (result == 0) tell_name("name", to_folder, to, from_folder, from);
    return result;
}

int link(const char *from, const char *to) {
    int (*real)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "link");
    int result = real(from, to);
    if (result == 0) tell_name("name", AT_FDCWD, to, AT_FDCWD, from);
    return result;
}
