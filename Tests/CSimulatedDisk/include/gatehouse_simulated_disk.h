// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_SIMULATED_DISK_H
#define GATEHOUSE_SIMULATED_DISK_H

#ifdef __cplusplus
extern "C" {
#endif

/// The names of SQLite's ways to simulated disks; they are known once a disk was made. Where one thread has all connections, nobody lets go of
/// a lock while it waits, and the first way does not; the second one is for several threads.
#define GATEHOUSE_SIMULATED_DISK "simulated-disk"
#define GATEHOUSE_SHARED_DISK "shared-simulated-disk"

/// A disk that holds the files of one folder. Any thread; each call and each step is done as a whole.
///
/// Every call that may change a file, or takes a lock, is a step with a number. What is written reaches the disk with the next sync of its
/// file, or earlier, whenever the seed says so, one sector of 512 bytes at a time.
typedef struct gatehouse_disk gatehouse_disk;

/// The kinds of steps.
enum {
    GATEHOUSE_DISK_WRITE,
    GATEHOUSE_DISK_TRUNCATE,
    GATEHOUSE_DISK_SYNC,
    GATEHOUSE_DISK_DELETE,
    GATEHOUSE_DISK_RENAME,
    GATEHOUSE_DISK_LOCK,
    GATEHOUSE_DISK_KINDS
};

/// What befalls a disk.
enum {
    GATEHOUSE_DISK_NOTHING,
    /// The process ends in the step: of a write, only a beginning is done.
    GATEHOUSE_DISK_PROCESS_ENDS,
    /// The power fails in the step: of what was not synced, each sector, change of a size and deletion is there or not.
    GATEHOUSE_DISK_POWER_FAILS,
    /// The next write fails with EIO, after a beginning.
    GATEHOUSE_DISK_WRITE_FAILS,
    /// The next write fails with ENOSPC, after a beginning.
    GATEHOUSE_DISK_IS_FULL,
    /// The next sync fails with EIO; what it was to force to the disk reaches it by chance only, also with later syncs.
    GATEHOUSE_DISK_SYNC_FAILS,
    GATEHOUSE_DISK_EVENTS
};

/// What has happened to a disk so far.
struct gatehouse_disk_account {
    /// The number of steps, and of those of each kind.
    unsigned long long steps, kinds[GATEHOUSE_DISK_KINDS];
    /// How often each event came to pass.
    unsigned long long events[GATEHOUSE_DISK_EVENTS];
    /// The ends of processes and of power, by the kind of step in which they came.
    unsigned long long ends[GATEHOUSE_DISK_KINDS];
    /// Writes of which only a beginning was done; power failures that kept a part of a file's changes, and those that kept a later
    /// change and lost an earlier one; sectors that power failures have lost; renames that they have undone. Those of copies, too.
    unsigned long long torn, parted, reordered, lost, undone;
};

/// Makes a disk for the files of a folder, whose coincidences follow from a seed. What is in the folder is on the disk, folders in it are not.
/// Registers the ways of SQLite.
gatehouse_disk *gatehouse_disk_make(const char *folder, unsigned long long seed);

/// Removes a disk to whose files no connection is open.
void gatehouse_disk_free(gatehouse_disk *disk);

/// Lets an event come to pass in a step, counted from 1 for the next one, or in the first one after it that it can happen to. It takes the
/// place of an event that has not come to pass; GATEHOUSE_DISK_NOTHING removes that.
void gatehouse_disk_expect(gatehouse_disk *disk, int event, unsigned long long step);

/// The end that came, GATEHOUSE_DISK_PROCESS_ENDS or GATEHOUSE_DISK_POWER_FAILS: every step fails from then on. 0 before.
int gatehouse_disk_end(gatehouse_disk *disk);

/// Ends the process or the power between two steps.
void gatehouse_disk_end_now(gatehouse_disk *disk, int event);

/// Leaves in the folder what is left after the end, so that it can be opened again; after the last connection was closed.
///
/// Returns 0, or an `errno` value: EBUSY while a file is open.
int gatehouse_disk_restart(gatehouse_disk *disk);

/// Lets the power fail for a copy of the disk, just before a step, counted from 1 for the next one, or at once for 0; the disk itself goes on.
///
/// What is left of the copy is written into an empty folder. Takes the place of a copy whose step has not come.
void gatehouse_disk_fork(gatehouse_disk *disk, const char *folder, unsigned long long step);

/// What has become of the last copy, which is made no more where its step has not come.
///
/// Returns 0 when the folder has what is left of it, EAGAIN where its step has not come, or another `errno` value.
int gatehouse_disk_end_fork(gatehouse_disk *disk);

/// Lets the disk say that it has synced without doing so: a disk that lies.
void gatehouse_disk_lie(gatehouse_disk *disk, int lies);

/// Files that SQLite does not know, by their paths; each call does to the real file what its name says, and sets `errno` where it fails.
/// Creates a file where none is; gives its descriptor. No step.
int gatehouse_disk_create(gatehouse_disk *disk, const char *path, unsigned mode);

/// Writes to a file, as `pwrite` does. A step.
long gatehouse_disk_write(
    gatehouse_disk *disk, const char *path, int descriptor, const void *bytes, unsigned long count, long place);

/// Syncs a file, as `fsync` does. A step.
int gatehouse_disk_sync(gatehouse_disk *disk, const char *path);

/// Renames a file, as `rename` does. A step; before the next sync of the folder, a power failure leaves the one state or the other.
int gatehouse_disk_rename(gatehouse_disk *disk, const char *path, const char *other);

/// Removes a file, as `unlink` does. A step where there is one.
int gatehouse_disk_remove(gatehouse_disk *disk, const char *path);

/// Syncs the names in the folder. A step.
int gatehouse_disk_sync_folder(gatehouse_disk *disk);

/// What has happened so far.
struct gatehouse_disk_account gatehouse_disk_account(gatehouse_disk *disk);

#ifdef __cplusplus
}
#endif

#endif
