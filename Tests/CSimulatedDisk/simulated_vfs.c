// SPDX-License-Identifier: Apache-2.0

#include "simulated_disk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <string.h>

/// A file of this VFS, with the real one behind it.
struct file {
    sqlite3_file base;
    struct gatehouse_disk *disk;
    struct stored *stored;
    /// Whether the next sync also makes sure of the folder's entries, as SQLite does for logs and journals that it makes.
    int syncs_folder;
    sqlite3_file real;
};

static sqlite3_vfs *real_vfs;

static struct file *as_file(sqlite3_file *base) { return (struct file *)base; }
static sqlite3_file *real(sqlite3_file *base) { return &as_file(base)->real; }

// MARK: - Files

static int file_close(sqlite3_file *base) {
    HOLD(as_file(base)->disk);
    as_file(base)->disk->handles--;
    return real(base)->pMethods->xClose(real(base));
}

static int file_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 place) {
    return real(base)->pMethods->xRead(real(base), bytes, count, place);
}

static int file_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 place) {
    struct file *file = as_file(base);
    HOLD(file->disk);
    if (file->disk->end) { return SQLITE_IOERR_WRITE; }
    const int code = disk_step(file->disk, GATEHOUSE_DISK_WRITE);
    const size_t done = code == SQLITE_OK ? (size_t)count : disk_beginning(file->disk, (size_t)count);
    const int written = real(base)->pMethods->xWrite(real(base), bytes, (int)done, place);
    if (written != SQLITE_OK) { return written; }
    disk_note_write(file->disk, file->stored, bytes, done, (size_t)place);
    return code;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
    struct file *file = as_file(base);
    HOLD(file->disk);
    int code = disk_step(file->disk, GATEHOUSE_DISK_TRUNCATE);
    if (code != SQLITE_OK) { return code; }
    code = real(base)->pMethods->xTruncate(real(base), size);
    if (code == SQLITE_OK) { disk_note_truncation(file->disk, file->stored, (size_t)size); }
    return code;
}

static int file_sync(sqlite3_file *base, int flags) {
    (void)flags;
    struct file *file = as_file(base);
    HOLD(file->disk);
    const int code = disk_step(file->disk, GATEHOUSE_DISK_SYNC);
    if (code == SQLITE_OK) {
        disk_note_sync(file->disk, file->stored);
        if (file->syncs_folder) { disk_note_folder_sync(file->disk); }
        file->syncs_folder = 0;
    } else if (code == SQLITE_IOERR_FSYNC) {
        disk_note_failed_sync(file->stored);
    }
    return code;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    return real(base)->pMethods->xFileSize(real(base), size);
}

static int file_lock(sqlite3_file *base, int level) {
    HOLD(as_file(base)->disk);
    const int code = disk_step(as_file(base)->disk, GATEHOUSE_DISK_LOCK);
    return code == SQLITE_OK ? real(base)->pMethods->xLock(real(base), level) : SQLITE_IOERR_LOCK;
}

static int file_unlock(sqlite3_file *base, int level) {
    return real(base)->pMethods->xUnlock(real(base), level);
}

static int file_check(sqlite3_file *base, int *result) {
    return real(base)->pMethods->xCheckReservedLock(real(base), result);
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
    return real(base)->pMethods->xFileControl(real(base), operation, argument);
}

static int file_sector(sqlite3_file *base) { return real(base)->pMethods->xSectorSize(real(base)); }

static int file_traits(sqlite3_file *base) {
    // What SQLite relies on elsewhere holds here too: to overwrite a part of a sector spares the rest of it.
    return real(base)->pMethods->xDeviceCharacteristics(real(base));
}

static int file_map(sqlite3_file *base, int page, int size, int extends, void volatile **memory) {
    HOLD(as_file(base)->disk);
    const int code = disk_step(as_file(base)->disk, GATEHOUSE_DISK_LOCK);
    return code == SQLITE_OK ? real(base)->pMethods->xShmMap(real(base), page, size, extends, memory)
                             : SQLITE_IOERR_SHMMAP;
}

static int file_shared_lock(sqlite3_file *base, int offset, int count, int flags) {
    HOLD(as_file(base)->disk);
    if (flags & SQLITE_SHM_LOCK) {
        const int code = disk_step(as_file(base)->disk, GATEHOUSE_DISK_LOCK);
        if (code != SQLITE_OK) { return SQLITE_IOERR_SHMLOCK; }
    }
    return real(base)->pMethods->xShmLock(real(base), offset, count, flags);
}

static void file_barrier(sqlite3_file *base) { real(base)->pMethods->xShmBarrier(real(base)); }

static int file_unmap(sqlite3_file *base, int removes) {
    return real(base)->pMethods->xShmUnmap(real(base), removes);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2, .xClose = file_close, .xRead = file_read, .xWrite = file_write, .xTruncate = file_truncate,
    .xSync = file_sync, .xFileSize = file_size, .xLock = file_lock, .xUnlock = file_unlock,
    .xCheckReservedLock = file_check, .xFileControl = file_control, .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_traits, .xShmMap = file_map, .xShmLock = file_shared_lock,
    .xShmBarrier = file_barrier, .xShmUnmap = file_unmap,
};

// MARK: - The ways to it

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out) {
    (void)vfs;
    struct file *file = as_file(base);
    file->base.pMethods = NULL;
    file->disk = name ? disk_of(name) : NULL;
    // Nothing of a journal goes into a temporary file, and nothing else is opened here.
    if (!file->disk) { return SQLITE_CANTOPEN; }
    HOLD(file->disk);
    if (file->disk->end) { return SQLITE_CANTOPEN; }
    const int code = real_vfs->xOpen(real_vfs, name, &file->real, flags, out);
    if (code != SQLITE_OK) { return code; }
    file->stored = disk_file(file->disk, name);
    file->stored->is_there = 1;
    file->syncs_folder = (flags & SQLITE_OPEN_CREATE) && (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL));
    file->disk->handles++;
    file->base.pMethods = &methods;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int is_lasting) {
    (void)vfs;
    struct gatehouse_disk *disk = disk_of(name);
    if (!disk) { return SQLITE_IOERR_DELETE; }
    HOLD(disk);
    if (disk_step(disk, GATEHOUSE_DISK_DELETE) != SQLITE_OK) { return SQLITE_IOERR_DELETE; }
    const int code = real_vfs->xDelete(real_vfs, name, 0);
    if (code == SQLITE_OK) { disk_note_deletion(disk_file(disk, name)); }
    if (code == SQLITE_OK && is_lasting) { disk_note_folder_sync(disk); }
    return code;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    (void)vfs;
    return real_vfs->xAccess(real_vfs, name, flags, result);
}

static int vfs_path(sqlite3_vfs *vfs, const char *name, int count, char *path) {
    (void)vfs;
    return real_vfs->xFullPathname(real_vfs, name, count, path);
}

static int vfs_random(sqlite3_vfs *vfs, int count, char *bytes) {
    (void)vfs;
    // Only the salt of a log depends on it, of which nothing follows.
    return real_vfs->xRandomness(real_vfs, count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    // Nobody lets go of a lock meanwhile.
    return microseconds;
}

static int vfs_shared_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return real_vfs->xSleep(real_vfs, microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
    (void)vfs;
    // Nothing in a journal comes from SQLite's clock.
    *milliseconds = 0;
    return SQLITE_OK;
}

static int vfs_days(sqlite3_vfs *vfs, double *days) {
    (void)vfs;
    *days = 0;
    return SQLITE_OK;
}

static int vfs_error(sqlite3_vfs *vfs, int count, char *text) {
    (void)vfs;
    return real_vfs->xGetLastError(real_vfs, count, text);
}

static sqlite3_vfs simulated_vfs = {
    .iVersion = 2, .zName = GATEHOUSE_SIMULATED_DISK, .xOpen = vfs_open, .xDelete = vfs_delete,
    .xAccess = vfs_access, .xFullPathname = vfs_path, .xRandomness = vfs_random, .xSleep = vfs_sleep,
    .xCurrentTime = vfs_days, .xGetLastError = vfs_error, .xCurrentTimeInt64 = vfs_time,
};

static void register_once(void) {
    static sqlite3_vfs shared_vfs;
    real_vfs = sqlite3_vfs_find(NULL);
    simulated_vfs.szOsFile = (int)sizeof(struct file) + real_vfs->szOsFile;
    simulated_vfs.mxPathname = real_vfs->mxPathname;
    shared_vfs = simulated_vfs;
    shared_vfs.zName = GATEHOUSE_SHARED_DISK;
    shared_vfs.xSleep = vfs_shared_sleep;
    sqlite3_vfs_register(&simulated_vfs, 0);
    sqlite3_vfs_register(&shared_vfs, 0);
}

void disk_register_vfs(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_once);
}
