// SPDX-License-Identifier: Apache-2.0

#include "gatehouse_linux.h"

#include <errno.h>
#include <sys/inotify.h>
#include <unistd.h>

int gatehouse_changes_open(void) {
    const int changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    return changes >= 0 ? changes : -errno;
}

int gatehouse_changes_add(int changes, const char *folder) {
    const int number = inotify_add_watch(changes, folder,
        IN_CLOSE_WRITE | IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF |
            IN_MOVE_SELF | IN_ONLYDIR);
    return number > 0 ? number : -errno;
}

int gatehouse_changes_remove(int changes, int number) {
    return inotify_rm_watch(changes, number) == 0 ? 0 : -errno;
}

int gatehouse_changes_take(int changes) {
    char events[4096];
    int some = 0;
    while (read(changes, events, sizeof events) > 0) { some = 1; }
    return some;
}
