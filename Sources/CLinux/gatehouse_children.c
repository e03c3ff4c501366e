// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "gatehouse_linux.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *gatehouse_signal_name(int signal) { return sigabbrev_np(signal); }

/// Opens a folder in another one, never through a link; one that its owner may not read is made readable first.
static int open_folder(int parent, const char *name) {
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int folder = openat(parent, name, flags);
    if (folder >= 0 || errno != EACCES) { return folder; }
    const int place = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (place < 0) { return -1; }
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", place);
    const int result = chmod(path, 0700);
    close(place);
    return result != 0 ? -1 : openat(parent, name, flags);
}

/// Removes what a folder holds, or moves it to the root, under a name that is free there; what the root holds is emptied first. Two
/// folders are open at most, however deep the tree is.
///
/// - progress: counts what was removed or moved; what was moved needs another round.
/// - Returns: 0, or minus the errno of the last thing that stays where it was.
static int empty_folder(int folder, int root, unsigned long *moved, unsigned long *progress) {
    const int listed = dup(folder);
    if (listed < 0) { return -errno; }
    DIR *entries = fdopendir(listed);
    if (entries == NULL) {
        const int reason = errno;
        close(listed);
        return -reason;
    }
    rewinddir(entries);
    int failure = 0;
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) { continue; }
        int reason = unlinkat(folder, name, 0) == 0 || unlinkat(folder, name, AT_REMOVEDIR) == 0 ? 0 : errno;
        if (reason == ENOTEMPTY) {
            // To be emptied or moved, it must be open to its owner.
            const int inner = open_folder(folder, name);
            if (inner >= 0) {
                fchmod(inner, 0700);
                if (folder == root) { empty_folder(inner, root, moved, progress); }
                close(inner);
            }
            if (folder == root) {
                reason = unlinkat(folder, name, AT_REMOVEDIR) == 0 ? 0 : errno;
            } else {
                char other[48];
                do {
                    snprintf(other, sizeof other, "gatehouse-moved-%lu", ++*moved);
                    reason = renameat2(folder, name, root, other, RENAME_NOREPLACE) == 0 ? 0 : errno;
                } while (reason == EEXIST);
            }
        }
        if (reason == 0) {
            ++*progress;
        } else {
            failure = -reason;
        }
    }
    closedir(entries);
    return failure;
}

int gatehouse_remove_tree(const char *path) {
    const int root = open_folder(AT_FDCWD, path);
    if (root < 0) { return -errno; }
    fchmod(root, 0700);
    unsigned long moved = 0, progress = 0, before;
    int failure;
    do {
        before = progress;
        failure = empty_folder(root, root, &moved, &progress);
    } while (progress != before);
    close(root);
    return rmdir(path) == 0 ? 0 : failure != 0 ? failure : -errno;
}

int gatehouse_open_process(int process) {
    const long descriptor = syscall(SYS_pidfd_open, process, 0);
    return descriptor < 0 ? -errno : (int)descriptor;
}

int gatehouse_end_with_parent(int parent) {
    // One byte holds no core; with 0 the system would still hand one to a program that takes them, outside of all confinement.
    const struct rlimit none = {1, 1};
    setrlimit(RLIMIT_CORE, &none);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) { return -errno; }
    // A parent that ended before this sends no signal.
    return getppid() == parent ? 0 : -ESRCH;
}

int gatehouse_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 ? 0 : -errno; }

unsigned long gatehouse_signal_action(int signal) {
    struct sigaction action;
    if (sigaction(signal, NULL, &action) != 0) { return 0; }
    return (unsigned long)action.sa_sigaction;
}

int gatehouse_limit_memory(int process, unsigned long bytes) {
    // What is shared with other processes, such as libraries, does not count.
    const struct rlimit limit = {.rlim_cur = bytes, .rlim_max = bytes};
    return prlimit(process, RLIMIT_DATA, &limit, NULL) == 0 ? 0 : -errno;
}
