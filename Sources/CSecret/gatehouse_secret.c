// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "gatehouse_secret.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail_by(char *words, int error) {
    char reason[128];
    snprintf(words, gatehouse_secret_words, "it cannot be read: %s; write it there, and let this user read it",
             strerror_r(error, reason, sizeof reason));
    return error == ENOENT ? gatehouse_secret_missing : gatehouse_secret_unusable;
}

static int fail(char *words, const char *sentence) {
    snprintf(words, gatehouse_secret_words, "%s", sentence);
    return gatehouse_secret_unusable;
}

static bool is_trusted(uid_t owner) { return owner == 0 || owner == geteuid(); }

// Checks the folders of an absolute path: anyone who can replace a part of it can replace the file.
static bool is_safe_way(const char *path, char *words) {
    char part[PATH_MAX];
    for (const char *end = path; (end = strchr(end + 1, '/')) != NULL;) {
        size_t length = (size_t)(end - path);
        if (length >= sizeof part) break;
        memcpy(part, path, length);
        part[length] = 0;
        struct stat status;
        if (lstat(part, &status) != 0) continue;
        // In a folder with the sticky bit, such as /tmp, nobody can replace another user's file.
        bool is_open = S_ISDIR(status.st_mode) && (status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0;
        if (is_trusted(status.st_uid) && !is_open) continue;
        snprintf(words, gatehouse_secret_words,
                 "others can exchange it, because %s %s; keep it in a folder that only this user or root may write to", part,
                 is_open ? "is open to everybody" : "belongs to somebody else");
        return false;
    }
    return true;
}

// Checks both paths to a file: as given, and with its links resolved.
static bool is_safe_place(const char *path, char *words) {
    char folder[PATH_MAX] = "", whole[PATH_MAX], resolved[PATH_MAX];
    const bool is_whole = path[0] == '/';
    if (!is_whole && getcwd(folder, sizeof folder) == NULL) {
        fail_by(words, errno);
        return false;
    }
    if ((size_t)snprintf(whole, sizeof whole, "%s%s%s", folder, is_whole ? "" : "/", path) >= sizeof whole) {
        fail_by(words, ENAMETOOLONG);
        return false;
    }
    struct stat link;
    if (lstat(whole, &link) == 0 && S_ISLNK(link.st_mode) && !is_trusted(link.st_uid)) {
        fail(words, "it is a link of somebody else; name the file itself");
        return false;
    }
    if (!is_safe_way(whole, words)) return false;
    if (realpath(whole, resolved) == NULL) {
        fail_by(words, errno);
        return false;
    }
    return is_safe_way(resolved, words);
}

int gatehouse_secret_open(const char *path, bool is_secret, struct gatehouse_secret_stamp *stamp,
                          char *words) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0) return fail_by(words, errno);
    struct stat status;
    int code = 0;
    if (fstat(file, &status) != 0) {
        code = fail_by(words, errno);
    } else if (!S_ISREG(status.st_mode)) {
        code = fail(words, "expected a file, found something else; name a file");
    } else if (is_secret && (status.st_mode & (S_IROTH | S_IWOTH | S_IWGRP)) != 0) {
        code = fail(words, "others may read or write it; take that from them with chmod 600");
    } else if (is_secret && !is_trusted(status.st_uid)) {
        snprintf(words, gatehouse_secret_words,
                 "it belongs to the user %u, who can read and change it; let it belong to this user or to root", status.st_uid);
        code = gatehouse_secret_unusable;
    } else if (is_secret && !is_safe_place(path, words)) {
        code = gatehouse_secret_unusable;
    }
    if (code != 0) {
        close(file);
        return code;
    }
    *stamp = (struct gatehouse_secret_stamp){
        .device = status.st_dev,
        .inode = status.st_ino,
        .size = (uint64_t)status.st_size,
        .written = status.st_mtim.tv_sec,
        .written_part = status.st_mtim.tv_nsec,
        .changed = status.st_ctim.tv_sec,
        .changed_part = status.st_ctim.tv_nsec,
    };
    return file;
}

long gatehouse_secret_read(int file, char *bytes, size_t room, char *words) {
    size_t count = 0;
    while (count < room) {
        ssize_t part = pread(file, bytes + count, room - count, (off_t)count);
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) return fail_by(words, errno);
        if (part == 0) break;
        count += (size_t)part;
    }
    if (count == room) {
        snprintf(words, gatehouse_secret_words, "expected a secret of at most %zu bytes, found a longer one; shorten it",
                 room - 1);
        return gatehouse_secret_unusable;
    }
    while (count > 0 && (bytes[count - 1] == '\n' || bytes[count - 1] == '\r')) count--;
    bytes[count] = 0;
    if (strspn(bytes, " \t\r\n\v\f") == count) return fail(words, "expected a secret, found an empty or blank file; write one there");
    if (count == 1) return fail(words, "expected a secret, found a single character, which anybody guesses; write a longer one there");
    return (long)count;
}
