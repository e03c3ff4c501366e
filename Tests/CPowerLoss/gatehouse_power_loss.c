// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "gatehouse_power_loss.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECTOR = 512 };

/// The state of a file, shared by its handles; never freed, because tests are short.
struct shadow {
    struct shadow *next;
    char *path;
    /// The contents for readers, and those at the last sync.
    unsigned char *now, *durable;
    size_t now_size, durable_size, capacity;
    /// For each sector, whether it was written since the last sync.
    unsigned char *dirty;
    int was_synced, is_dirty;
    long writes, syncs;
    /// The calls that fail, after how many more, and how.
    int failing, spared, code, system;
};

/// A file of this VFS, with the real one behind it.
struct file {
    sqlite3_file base;
    struct shadow *shadow;
    sqlite3_file real;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t synced = PTHREAD_COND_INITIALIZER;
static struct shadow *shadows;
static sqlite3_vfs *real_vfs;

static struct shadow *find(const char *path) {
    for (struct shadow *shadow = shadows; shadow; shadow = shadow->next) {
        if (strcmp(shadow->path, path) == 0) { return shadow; }
    }
    struct shadow *made = calloc(1, sizeof *made);
    if (!made) { abort(); }
    made->path = strdup(path);
    made->next = shadows;
    shadows = made;
    return made;
}

static void grow(struct shadow *shadow, size_t size) {
    if (size <= shadow->capacity) { return; }
    size_t capacity = shadow->capacity ? shadow->capacity : 1 << 16;
    while (capacity < size) { capacity *= 2; }
    shadow->now = realloc(shadow->now, capacity);
    shadow->durable = realloc(shadow->durable, capacity);
    shadow->dirty = realloc(shadow->dirty, capacity / SECTOR);
    if (!shadow->now || !shadow->durable || !shadow->dirty) { abort(); }
    memset(shadow->now + shadow->capacity, 0, capacity - shadow->capacity);
    memset(shadow->durable + shadow->capacity, 0, capacity - shadow->capacity);
    memset(shadow->dirty + shadow->capacity / SECTOR, 0, (capacity - shadow->capacity) / SECTOR);
    shadow->capacity = capacity;
}

/// Loads the contents from before the first opening, which are on the disk.
static void load(struct shadow *shadow) {
    const int descriptor = open(shadow->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) { return; }
    const off_t size = lseek(descriptor, 0, SEEK_END);
    if (size > 0 && shadow->now_size == 0) {
        grow(shadow, (size_t)size);
        if (pread(descriptor, shadow->now, (size_t)size, 0) == size) {
            memcpy(shadow->durable, shadow->now, (size_t)size);
            shadow->now_size = shadow->durable_size = (size_t)size;
            shadow->was_synced = 1;
        }
    }
    close(descriptor);
}

/// Whether a call must fail now.
static int fails(struct shadow *shadow, int call) {
    if (!(shadow->failing & call)) { return 0; }
    if (shadow->spared > 0) {
        shadow->spared--;
        return 0;
    }
    errno = shadow->system;
    return 1;
}

// MARK: - Files

static sqlite3_file *real(sqlite3_file *file) { return &((struct file *)file)->real; }
static struct shadow *shadow_of(sqlite3_file *file) { return ((struct file *)file)->shadow; }

static int file_close(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    struct shadow *shadow = shadow_of(file);
    // One lock for the file and its recorded state, so that they always agree.
    pthread_mutex_lock(&lock);
    shadow->writes++;
    int code = shadow->code;
    if (!fails(shadow, GATEHOUSE_POWER_WRITE)) {
        code = real(file)->pMethods->xWrite(real(file), bytes, count, offset);
        const size_t end = (size_t)offset + (size_t)count;
        grow(shadow, (end + SECTOR - 1) / SECTOR * SECTOR);
        memcpy(shadow->now + offset, bytes, (size_t)count);
        if (end > shadow->now_size) { shadow->now_size = end; }
        for (size_t sector = (size_t)offset / SECTOR; sector * SECTOR < end; sector++) { shadow->dirty[sector] = 1; }
        shadow->is_dirty = 1;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    struct shadow *shadow = shadow_of(file);
    pthread_mutex_lock(&lock);
    const int code = real(file)->pMethods->xTruncate(real(file), size);
    if ((size_t)size < shadow->now_size) {
        memset(shadow->now + size, 0, shadow->now_size - (size_t)size);
        for (size_t sector = (size_t)size / SECTOR; sector * SECTOR < shadow->now_size; sector++) {
            shadow->dirty[sector] = 1;
        }
        shadow->now_size = (size_t)size;
        shadow->is_dirty = 1;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static int file_sync(sqlite3_file *file, int flags) {
    struct shadow *shadow = shadow_of(file);
    pthread_mutex_lock(&lock);
    shadow->syncs++;
    int code = shadow->code;
    if (!fails(shadow, GATEHOUSE_POWER_SYNC)) {
        code = real(file)->pMethods->xSync(real(file), flags);
        for (size_t sector = 0; sector < shadow->capacity / SECTOR; sector++) {
            if (!shadow->dirty[sector]) { continue; }
            memcpy(shadow->durable + sector * SECTOR, shadow->now + sector * SECTOR, SECTOR);
            shadow->dirty[sector] = 0;
        }
        shadow->durable_size = shadow->now_size;
        shadow->was_synced = 1;
        shadow->is_dirty = 0;
        pthread_cond_broadcast(&synced);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return real(file)->pMethods->xFileSize(real(file), size);
}
static int file_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }
static int file_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
static int file_check(sqlite3_file *file, int *result) {
    return real(file)->pMethods->xCheckReservedLock(real(file), result);
}
static int file_control(sqlite3_file *file, int operation, void *argument) {
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}
static int file_sector(sqlite3_file *file) {
    (void)file;
    return SECTOR;
}
static int file_traits(sqlite3_file *file) {
    (void)file;
    // Promises nothing: neither that overwriting a sector spares its neighbours, nor any order.
    return 0;
}
static int file_map(sqlite3_file *file, int page, int size, int extends, void volatile **memory) {
    return real(file)->pMethods->xShmMap(real(file), page, size, extends, memory);
}
static int file_shared_lock(sqlite3_file *file, int offset, int count, int flags) {
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
static void file_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }
static int file_unmap(sqlite3_file *file, int removes) {
    return real(file)->pMethods->xShmUnmap(real(file), removes);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2, .xClose = file_close, .xRead = file_read, .xWrite = file_write, .xTruncate = file_truncate,
    .xSync = file_sync, .xFileSize = file_size, .xLock = file_lock, .xUnlock = file_unlock,
    .xCheckReservedLock = file_check, .xFileControl = file_control, .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_traits, .xShmMap = file_map, .xShmLock = file_shared_lock,
    .xShmBarrier = file_barrier, .xShmUnmap = file_unmap,
};

// MARK: - The VFS

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out) {
    (void)vfs;
    struct file *file = (struct file *)base;
    file->base.pMethods = NULL;
    const int code = real_vfs->xOpen(real_vfs, name, &file->real, flags, out);
    if (code != SQLITE_OK) { return code; }
    pthread_mutex_lock(&lock);
    file->shadow = find(name ? name : "");
    load(file->shadow);
    pthread_mutex_unlock(&lock);
    file->base.pMethods = &methods;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
    (void)vfs;
    pthread_mutex_lock(&lock);
    struct shadow *shadow = find(name);
    shadow->now_size = shadow->durable_size = 0;
    shadow->was_synced = shadow->is_dirty = 0;
    if (shadow->dirty) { memset(shadow->dirty, 0, shadow->capacity / SECTOR); }
    const int code = real_vfs->xDelete(real_vfs, name, syncs);
    pthread_mutex_unlock(&lock);
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
    return real_vfs->xRandomness(real_vfs, count, bytes);
}
static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return real_vfs->xSleep(real_vfs, microseconds);
}
static int vfs_time(sqlite3_vfs *vfs, double *time) {
    (void)vfs;
    return real_vfs->xCurrentTime(real_vfs, time);
}
static int vfs_error(sqlite3_vfs *vfs, int count, char *text) {
    (void)vfs;
    return real_vfs->xGetLastError(real_vfs, count, text);
}
static int vfs_time_64(sqlite3_vfs *vfs, sqlite3_int64 *time) {
    (void)vfs;
    return real_vfs->xCurrentTimeInt64(real_vfs, time);
}

static sqlite3_vfs power_vfs = {
    .iVersion = 2, .zName = GATEHOUSE_POWER_LOSS, .xOpen = vfs_open, .xDelete = vfs_delete, .xAccess = vfs_access,
    .xFullPathname = vfs_path, .xRandomness = vfs_random, .xSleep = vfs_sleep, .xCurrentTime = vfs_time,
    .xGetLastError = vfs_error, .xCurrentTimeInt64 = vfs_time_64,
};

static void register_once(void) {
    real_vfs = sqlite3_vfs_find(NULL);
    power_vfs.szOsFile = (int)(sizeof(struct file) + (size_t)real_vfs->szOsFile);
    power_vfs.mxPathname = real_vfs->mxPathname;
    sqlite3_vfs_register(&power_vfs, 0);
}

void gatehouse_power_register(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_once);
}

// MARK: - Failures

/// SplitMix64, as in SeededTesting.
static unsigned long long next_random(unsigned long long *state) {
    unsigned long long mixed = *state += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
}

/// Writes the remains of one file; returns 0, or an `errno` value.
static int write_remains(struct shadow *shadow, const char *target, unsigned long long *state, unsigned kept) {
    unsigned char *left = malloc(shadow->capacity ? shadow->capacity : 1);
    if (!left) { return ENOMEM; }
    if (shadow->capacity) { memcpy(left, shadow->durable, shadow->capacity); }
    size_t size = shadow->durable_size;
    for (size_t sector = 0; sector < shadow->capacity / SECTOR; sector++) {
        if (!shadow->dirty[sector] || next_random(state) % 1000 >= kept) { continue; }
        memcpy(left + sector * SECTOR, shadow->now + sector * SECTOR, SECTOR);
        size_t end = (sector + 1) * SECTOR;
        if (end > shadow->now_size) { end = shadow->now_size; }
        if (end > size) { size = end; }
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", target, strrchr(shadow->path, '/') + 1);
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int code = descriptor < 0 || write(descriptor, left, size) != (ssize_t)size ? errno : 0;
    if (descriptor >= 0) { close(descriptor); }
    free(left);
    return code;
}

int gatehouse_power_cut(const char *folder, const char *target, unsigned long long seed, unsigned kept) {
    int code = 0;
    pthread_mutex_lock(&lock);
    for (struct shadow *shadow = shadows; shadow && code == 0; shadow = shadow->next) {
        const size_t length = strlen(folder);
        if (strncmp(shadow->path, folder, length) != 0 || shadow->path[length] != '/') { continue; }
        if (!shadow->was_synced && (kept == 0 || shadow->now_size == 0)) { continue; }
        code = write_remains(shadow, target, &seed, kept);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

void gatehouse_power_fail(const char *path, int calls, int spared, int code, int system) {
    pthread_mutex_lock(&lock);
    struct shadow *shadow = find(path);
    shadow->failing = calls;
    shadow->spared = spared;
    shadow->code = code;
    shadow->system = system;
    pthread_mutex_unlock(&lock);
}

long gatehouse_power_calls(const char *path, int call) {
    pthread_mutex_lock(&lock);
    const struct shadow *shadow = find(path);
    const long count = call == GATEHOUSE_POWER_WRITE ? shadow->writes : shadow->syncs;
    pthread_mutex_unlock(&lock);
    return count;
}

void gatehouse_power_await_sync(const char *path) {
    pthread_mutex_lock(&lock);
    const struct shadow *shadow = find(path);
    while (shadow->is_dirty) { pthread_cond_wait(&synced, &lock); }
    pthread_mutex_unlock(&lock);
}
