// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATED_DISK_H
#define SIMULATED_DISK_H

#include "gatehouse_simulated_disk.h"

#include <pthread.h>
#include <stddef.h>

enum { SECTOR = 512, MOST_FILES = 24 };

/// A file of a disk: what readers see, and what is on the disk.
struct stored {
    char *path;
    /// The contents for readers, and those on the disk, both as long as `capacity`, with zeros past their ends.
    unsigned char *now, *kept;
    size_t now_size, kept_size, capacity;
    /// The smallest size that it was cut to since the last sync; SIZE_MAX where it was not.
    size_t least;
    /// For each sector the number of the write that is not on the disk; 0 for none. A negative one is not forced there by a sync.
    long long *waiting;
    /// Whether there is a file for readers, and on the disk.
    int is_there, is_kept;
    /// The file that had this path before a rename of which the disk need not know yet, and that has the other path here; NULL for none.
    struct stored *replaced;
};

/// A disk; see the header.
struct gatehouse_disk {
    struct gatehouse_disk *next;
    /// Held during each call and each step.
    pthread_mutex_t lock;
    char *folder;
    struct stored files[MOST_FILES];
    int count;
    unsigned long long random;
    /// The number of the last write.
    long long writes;
    struct gatehouse_disk_account account;
    /// The event to come, and the step in which it does.
    int event;
    unsigned long long step;
    int end, lies;
    /// How many of its files are open.
    int handles;
    /// Where a copy goes, and the step before which it is made; NULL for none.
    char *fork_folder;
    unsigned long long fork_step;
    /// What has become of the last copy: 0 or an `errno` value.
    int fork_code;
};

/// Locks a disk until the end of the block.
#define HOLD(disk) __attribute__((cleanup(disk_unlock), unused)) struct gatehouse_disk *held = disk_lock(disk)
struct gatehouse_disk *disk_lock(struct gatehouse_disk *disk);
void disk_unlock(struct gatehouse_disk **disk);

// Whoever calls one of the following functions holds the disk, but for `disk_of` and `disk_register_vfs`.

/// Counts a step, and lets happen what is to happen in it; returns a result code of SQLite, and sets `errno` with most errors.
int disk_step(struct gatehouse_disk *disk, int kind);

/// The disk of a file by its path; NULL for a file of none.
struct gatehouse_disk *disk_of(const char *path);

/// A file of a disk, which is made on the first call.
struct stored *disk_file(struct gatehouse_disk *disk, const char *path);

/// Takes note that bytes were written, truncated, synced or deleted.
void disk_note_write(
    struct gatehouse_disk *disk, struct stored *file, const void *bytes, size_t count, size_t place);
void disk_note_truncation(struct gatehouse_disk *disk, struct stored *file, size_t size);
void disk_note_sync(struct gatehouse_disk *disk, struct stored *file);
void disk_note_deletion(struct stored *file);
/// The same of the entries of the folder, which files have that were made, and deleted files have not.
void disk_note_folder_sync(struct gatehouse_disk *disk);

/// Takes note that the sync of a file failed.
void disk_note_failed_sync(struct stored *file);

/// How much of a write is done that does not come to its end.
size_t disk_beginning(struct gatehouse_disk *disk, size_t count);

/// Registers the ways with SQLite; further calls do nothing.
void disk_register_vfs(void);

#endif
