// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "simulated_disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Guards the list of disks.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gatehouse_disk *disks;

struct gatehouse_disk *disk_lock(struct gatehouse_disk *disk) {
    pthread_mutex_lock(&disk->lock);
    return disk;
}

void disk_unlock(struct gatehouse_disk **disk) { pthread_mutex_unlock(&(*disk)->lock); }

/// The next random number of a disk: SplitMix64, as in SeededTesting.
static unsigned long long disk_random(struct gatehouse_disk *disk) {
    unsigned long long mixed = disk->random += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
}

// MARK: - Disks

static void grow(struct stored *file, size_t size);

/// Takes a file of the real folder as one that is on the disk.
static void take(struct gatehouse_disk *disk, const char *name) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", disk->folder, name);
    struct stat entry;
    if (lstat(path, &entry) != 0 || !S_ISREG(entry.st_mode)) { return; }
    const size_t size = (size_t)entry.st_size;
    struct stored *file = disk_file(disk, path);
    grow(file, size);
    const int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0 || pread(descriptor, file->now, size, 0) != (ssize_t)size) { abort(); }
    close(descriptor);
    if (size > 0) { memcpy(file->kept, file->now, size); }
    file->now_size = file->kept_size = size;
    file->is_there = file->is_kept = 1;
}

/// Takes the files of the real folder, in the order of their names; none where there is no folder.
static void take_all(struct gatehouse_disk *disk) {
    struct dirent **entries;
    const int count = scandir(disk->folder, &entries, NULL, alphasort);
    if (count < 0) { return; }
    for (int index = 0; index < count; index++) {
        take(disk, entries[index]->d_name);
        free(entries[index]);
    }
    free(entries);
}

gatehouse_disk *gatehouse_disk_make(const char *folder, unsigned long long seed) {
    disk_register_vfs();
    struct gatehouse_disk *disk = calloc(1, sizeof *disk);
    if (!disk || !(disk->folder = strdup(folder)) || pthread_mutex_init(&disk->lock, NULL)) { abort(); }
    disk->random = seed;
    take_all(disk);
    pthread_mutex_lock(&lock);
    disk->next = disks;
    disks = disk;
    pthread_mutex_unlock(&lock);
    return disk;
}

/// Frees the memory of a disk.
static void release(struct gatehouse_disk *disk) {
    for (int index = 0; index < disk->count; index++) {
        free(disk->files[index].path);
        free(disk->files[index].now);
        free(disk->files[index].kept);
        free(disk->files[index].waiting);
    }
    free(disk->folder);
    free(disk->fork_folder);
    free(disk);
}

void gatehouse_disk_free(gatehouse_disk *disk) {
    pthread_mutex_lock(&lock);
    struct gatehouse_disk **place = &disks;
    while (*place != disk) { place = &(*place)->next; }
    *place = disk->next;
    pthread_mutex_unlock(&lock);
    pthread_mutex_destroy(&disk->lock);
    release(disk);
}

struct gatehouse_disk *disk_of(const char *path) {
    pthread_mutex_lock(&lock);
    struct gatehouse_disk *disk = disks;
    for (; disk; disk = disk->next) {
        const size_t length = strlen(disk->folder);
        if (strncmp(path, disk->folder, length) == 0 && path[length] == '/') { break; }
    }
    pthread_mutex_unlock(&lock);
    return disk;
}

struct stored *disk_file(struct gatehouse_disk *disk, const char *path) {
    for (int index = 0; index < disk->count; index++) {
        if (strcmp(disk->files[index].path, path) == 0) { return &disk->files[index]; }
    }
    if (disk->count == MOST_FILES) { abort(); }
    struct stored *file = &disk->files[disk->count++];
    if (!(file->path = strdup(path))) { abort(); }
    file->least = SIZE_MAX;
    return file;
}

// MARK: - Steps

/// Lets a file on the disk be cut to the smallest size that it was cut to.
static void cut(struct stored *file) {
    if (file->least >= file->kept_size) { return; }
    memset(file->kept + file->least, 0, file->kept_size - file->least);
    file->kept_size = file->least;
}

/// Lets some of what waits reach the disk, as a system does in its own time.
static void write_back(struct gatehouse_disk *disk) {
    const unsigned long long random = disk_random(disk);
    if (random % 8 != 0 || disk->count == 0 || disk->lies) { return; }
    struct stored *file = &disk->files[(random >> 8) % (unsigned long long)disk->count];
    if (!file->is_there) { return; }
    for (size_t sector = 0; sector * SECTOR < file->now_size; sector++) {
        if (file->waiting[sector] == 0 || disk_random(disk) % 2) { continue; }
        // What was written past the end of a file that was cut must not be cut off later.
        if ((sector + 1) * SECTOR > file->least) {
            cut(file);
            file->least = SIZE_MAX;
        }
        memcpy(file->kept + sector * SECTOR, file->now + sector * SECTOR, SECTOR);
        file->waiting[sector] = 0;
        size_t end = (sector + 1) * SECTOR;
        if (end > file->now_size) { end = file->now_size; }
        if (end > file->kept_size) { file->kept_size = end; }
        file->is_kept = 1;
    }
}

/// Whether an event can come to pass in a step of a kind.
static int fits(int event, int kind) {
    switch (event) {
    case GATEHOUSE_DISK_WRITE_FAILS:
    case GATEHOUSE_DISK_IS_FULL: return kind == GATEHOUSE_DISK_WRITE;
    case GATEHOUSE_DISK_SYNC_FAILS: return kind == GATEHOUSE_DISK_SYNC;
    default: return event != GATEHOUSE_DISK_NOTHING;
    }
}

static int fork_now(struct gatehouse_disk *disk, const char *folder);

/// Makes the copy that waits for a step.
static void make_fork(struct gatehouse_disk *disk) {
    disk->fork_code = fork_now(disk, disk->fork_folder);
    free(disk->fork_folder);
    disk->fork_folder = NULL;
}

int disk_step(struct gatehouse_disk *disk, int kind) {
    if (disk->end) {
        errno = EIO;
        return SQLITE_IOERR;
    }
    if (disk->fork_folder && disk->account.steps + 1 >= disk->fork_step) { make_fork(disk); }
    disk->account.kinds[kind]++;
    if (kind != GATEHOUSE_DISK_LOCK) { write_back(disk); }
    if (++disk->account.steps < disk->step || !fits(disk->event, kind)) { return SQLITE_OK; }
    const int event = disk->event;
    disk->event = GATEHOUSE_DISK_NOTHING;
    disk->account.events[event]++;
    errno = EIO;
    switch (event) {
    case GATEHOUSE_DISK_WRITE_FAILS: return SQLITE_IOERR_WRITE;
    case GATEHOUSE_DISK_SYNC_FAILS: return SQLITE_IOERR_FSYNC;
    case GATEHOUSE_DISK_IS_FULL: errno = ENOSPC; return SQLITE_FULL;
    default:
        disk->end = event;
        disk->account.ends[kind]++;
        return SQLITE_IOERR;
    }
}

void gatehouse_disk_expect(gatehouse_disk *disk, int event, unsigned long long step) {
    HOLD(disk);
    disk->event = event;
    disk->step = disk->account.steps + step;
}

int gatehouse_disk_end(gatehouse_disk *disk) {
    HOLD(disk);
    return disk->end;
}

void gatehouse_disk_end_now(gatehouse_disk *disk, int event) {
    HOLD(disk);
    if (disk->end) { return; }
    disk->end = event;
    disk->event = GATEHOUSE_DISK_NOTHING;
    disk->account.events[event]++;
}

void gatehouse_disk_lie(gatehouse_disk *disk, int lies) {
    HOLD(disk);
    disk->lies = lies;
}

struct gatehouse_disk_account gatehouse_disk_account(gatehouse_disk *disk) {
    HOLD(disk);
    return disk->account;
}

size_t disk_beginning(struct gatehouse_disk *disk, size_t count) {
    const size_t done = (size_t)(disk_random(disk) % (count + 1));
    if (done > 0 && done < count) { disk->account.torn++; }
    return done;
}

// MARK: - Changes

static void *grown(void *memory, size_t size, size_t capacity) {
    unsigned char *made = realloc(memory, capacity);
    if (!made) { abort(); }
    memset(made + size, 0, capacity - size);
    return made;
}

/// Makes room for a size.
static void grow(struct stored *file, size_t size) {
    if (size <= file->capacity) { return; }
    size_t capacity = file->capacity ? file->capacity : 1 << 15;
    while (capacity < size) { capacity *= 2; }
    file->now = grown(file->now, file->capacity, capacity);
    file->kept = grown(file->kept, file->capacity, capacity);
    const size_t sectors = file->capacity / SECTOR;
    file->waiting = grown(
        file->waiting, sectors * sizeof *file->waiting, capacity / SECTOR * sizeof *file->waiting);
    file->capacity = capacity;
}

void disk_note_write(
    struct gatehouse_disk *disk, struct stored *file, const void *bytes, size_t count, size_t place) {
    file->is_there = 1;
    if (count == 0) { return; }
    grow(file, place + count);
    memcpy(file->now + place, bytes, count);
    if (place + count > file->now_size) { file->now_size = place + count; }
    disk->writes++;
    for (size_t sector = place / SECTOR; sector * SECTOR < place + count; sector++) {
        file->waiting[sector] = disk->writes;
    }
}

void disk_note_truncation(struct gatehouse_disk *disk, struct stored *file, size_t size) {
    disk->writes++;
    if (size >= file->now_size) {
        grow(file, size);
        file->now_size = size;
        return;
    }
    memset(file->now + size, 0, file->now_size - size);
    for (size_t sector = (size + SECTOR - 1) / SECTOR; sector * SECTOR < file->now_size; sector++) {
        file->waiting[sector] = 0;
    }
    file->now_size = size;
    if (size < file->least) { file->least = size; }
}

void disk_note_sync(struct gatehouse_disk *disk, struct stored *file) {
    if (disk->lies) { return; }
    cut(file);
    for (size_t sector = 0; sector < file->capacity / SECTOR; sector++) {
        if (file->waiting[sector] <= 0) { continue; }
        memcpy(file->kept + sector * SECTOR, file->now + sector * SECTOR, SECTOR);
        file->waiting[sector] = 0;
    }
    file->kept_size = file->now_size;
    file->least = SIZE_MAX;
    file->is_kept = 1;
}

void disk_note_failed_sync(struct stored *file) {
    for (size_t sector = 0; sector < file->capacity / SECTOR; sector++) {
        if (file->waiting[sector] > 0) { file->waiting[sector] = -file->waiting[sector]; }
    }
}

void disk_note_deletion(struct stored *file) {
    file->is_there = 0;
    file->now_size = 0;
    if (!file->capacity) { return; }
    memset(file->now, 0, file->capacity);
    memset(file->waiting, 0, file->capacity / SECTOR * sizeof *file->waiting);
}

void disk_note_folder_sync(struct gatehouse_disk *disk) {
    if (disk->lies) { return; }
    for (int index = 0; index < disk->count; index++) {
        struct stored *file = &disk->files[index];
        file->is_kept = file->is_there;
        file->replaced = NULL;
        if (file->is_there) { continue; }
        file->kept_size = 0;
        file->least = SIZE_MAX;
        if (file->capacity) { memset(file->kept, 0, file->capacity); }
    }
}

// MARK: - Files that SQLite does not know

/// Lets a rename be on the disk for good.
static void settle(struct stored *file) {
    struct stored *replaced = file->replaced;
    if (!replaced) { return; }
    file->replaced = NULL;
    replaced->is_kept = 0;
    replaced->kept_size = 0;
    replaced->least = SIZE_MAX;
    if (replaced->capacity) { memset(replaced->kept, 0, replaced->capacity); }
}

/// The same for all files.
static void settle_all(struct gatehouse_disk *disk) {
    for (int index = 0; index < disk->count; index++) { settle(&disk->files[index]); }
}

/// Whether the disk works still; sets `errno` where it does not.
static int works(const struct gatehouse_disk *disk) {
    if (!disk->end) { return 1; }
    errno = EIO;
    return 0;
}

int gatehouse_disk_create(gatehouse_disk *disk, const char *path, unsigned mode) {
    HOLD(disk);
    if (!works(disk)) { return -1; }
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (descriptor < 0) { return -1; }
    // What had the name in an earlier rename is in this place.
    settle_all(disk);
    struct stored *file = disk_file(disk, path);
    file->is_there = 1;
    file->least = 0;
    return descriptor;
}

long gatehouse_disk_write(
    gatehouse_disk *disk, const char *path, int descriptor, const void *bytes, unsigned long count, long place) {
    HOLD(disk);
    if (!works(disk)) { return -1; }
    const int code = disk_step(disk, GATEHOUSE_DISK_WRITE);
    const int reason = errno;
    const size_t done = code == SQLITE_OK ? count : disk_beginning(disk, count);
    if (pwrite(descriptor, bytes, done, place) != (ssize_t)done) { return -1; }
    disk_note_write(disk, disk_file(disk, path), bytes, done, (size_t)place);
    errno = reason;
    return code == SQLITE_OK ? (long)count : -1;
}

int gatehouse_disk_sync(gatehouse_disk *disk, const char *path) {
    HOLD(disk);
    const int code = disk_step(disk, GATEHOUSE_DISK_SYNC);
    struct stored *file = disk_file(disk, path);
    if (code == SQLITE_OK) {
        disk_note_sync(disk, file);
    } else if (code == SQLITE_IOERR_FSYNC) {
        disk_note_failed_sync(file);
    }
    return code == SQLITE_OK ? 0 : -1;
}

int gatehouse_disk_rename(gatehouse_disk *disk, const char *path, const char *other) {
    HOLD(disk);
    if (!works(disk)) { return -1; }
    const int code = disk_step(disk, GATEHOUSE_DISK_RENAME);
    // One that comes to no end is done or not.
    if (code != SQLITE_OK && disk_random(disk) % 2) { return -1; }
    if (rename(path, other) != 0) { return -1; }
    struct stored *file = disk_file(disk, path), *replaced = disk_file(disk, other);
    settle_all(disk);
    char *name = file->path;
    file->path = replaced->path;
    replaced->path = name;
    disk_note_deletion(replaced);
    file->replaced = replaced;
    errno = EIO;
    return code == SQLITE_OK ? 0 : -1;
}

int gatehouse_disk_remove(gatehouse_disk *disk, const char *path) {
    HOLD(disk);
    if (!works(disk)) { return -1; }
    if (access(path, F_OK) != 0) { return -1; }
    if (disk_step(disk, GATEHOUSE_DISK_DELETE) != SQLITE_OK) { return -1; }
    if (unlink(path) != 0) { return -1; }
    disk_note_deletion(disk_file(disk, path));
    return 0;
}

int gatehouse_disk_sync_folder(gatehouse_disk *disk) {
    HOLD(disk);
    if (disk_step(disk, GATEHOUSE_DISK_SYNC) != SQLITE_OK) { return -1; }
    disk_note_folder_sync(disk);
    return 0;
}

// MARK: - After the end

/// Decides what is left of a file after a power failure, in `kept`; returns whether it is there at all.
static int leave(struct gatehouse_disk *disk, struct stored *file, unsigned chance, long long *earliest_lost,
                 long long *latest_kept) {
    if (!file->is_there && (!file->is_kept || disk_random(disk) % 2)) { return 0; }
    if (!file->is_there) { return 1; }
    if (disk_random(disk) % 2) { cut(file); }
    int had = 0, lost = 0;
    for (size_t sector = 0; sector < file->capacity / SECTOR; sector++) {
        if (file->waiting[sector] == 0) { continue; }
        const long long number = llabs(file->waiting[sector]);
        if (disk_random(disk) % 1000 >= chance) {
            lost = 1;
            disk->account.lost++;
            if (number < *earliest_lost) { *earliest_lost = number; }
            continue;
        }
        had = 1;
        if (number > *latest_kept) { *latest_kept = number; }
        memcpy(file->kept + sector * SECTOR, file->now + sector * SECTOR, SECTOR);
        size_t end = (sector + 1) * SECTOR;
        if (end > file->now_size) { end = file->now_size; }
        if (end > file->kept_size) { file->kept_size = end; }
    }
    if (had && lost) { disk->account.parted++; }
    return file->is_kept || had || disk_random(disk) % 2;
}

/// Lets a rename be on the disk, or not, after a power failure.
static void decide(struct gatehouse_disk *disk, struct stored *file) {
    struct stored *replaced = file->replaced;
    if (!replaced) { return; }
    if (disk_random(disk) % 2) {
        settle(file);
        return;
    }
    file->replaced = NULL;
    char *path = file->path;
    file->path = replaced->path;
    replaced->path = path;
    replaced->is_there = replaced->is_kept;
    disk->account.undone++;
}

/// Writes to a path what is on the disk of a file.
static int put(struct stored *file, int is_there, const char *path) {
    if (!is_there) { return unlink(path) == 0 || errno == ENOENT ? 0 : errno; }
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor < 0) { return errno; }
    const int code = pwrite(descriptor, file->kept, file->kept_size, 0) == (ssize_t)file->kept_size ? 0 : errno;
    close(descriptor);
    return code;
}

/// Lets the power fail, and writes to a folder what is left; returns 0 or an `errno` value.
static int fail_power(struct gatehouse_disk *disk, const char *folder) {
    const unsigned chance = (unsigned[]){0, 100, 500, 900, 1000}[disk_random(disk) % 5];
    long long earliest_lost = INT64_MAX, latest_kept = 0;
    for (int index = 0; index < disk->count; index++) { decide(disk, &disk->files[index]); }
    for (int index = 0; index < disk->count; index++) {
        struct stored *file = &disk->files[index];
        const int is_there = leave(disk, file, chance, &earliest_lost, &latest_kept);
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s%s", folder, file->path + strlen(disk->folder));
        const int code = put(file, is_there, path);
        if (code != 0) { return code; }
        if (!is_there) { file->kept_size = 0; }
        if (file->capacity) {
            memset(file->kept + file->kept_size, 0, file->capacity - file->kept_size);
            memcpy(file->now, file->kept, file->capacity);
            memset(file->waiting, 0, file->capacity / SECTOR * sizeof *file->waiting);
        }
        file->now_size = file->kept_size;
        file->least = SIZE_MAX;
        file->is_there = file->is_kept = is_there;
    }
    if (earliest_lost < latest_kept) { disk->account.reordered++; }
    return 0;
}

int gatehouse_disk_restart(gatehouse_disk *disk) {
    HOLD(disk);
    const int end = disk->end;
    if (disk->handles > 0) { return EBUSY; }
    disk->end = GATEHOUSE_DISK_NOTHING;
    return end == GATEHOUSE_DISK_POWER_FAILS ? fail_power(disk, disk->folder) : 0;
}

// MARK: - Copies

/// A copy of memory; NULL for none.
static void *copied(const void *memory, size_t size) {
    if (!memory) { return NULL; }
    void *copy = malloc(size);
    if (!copy) { abort(); }
    return memcpy(copy, memory, size);
}

/// Lets the power fail for a copy of a disk, and writes to a folder what is left of it; returns 0 or an `errno` value.
static int fork_now(struct gatehouse_disk *disk, const char *folder) {
    struct gatehouse_disk *copy = copied(disk, sizeof *disk);
    copy->random = disk_random(disk);
    copy->fork_folder = NULL;
    copy->folder = copied(disk->folder, strlen(disk->folder) + 1);
    for (int index = 0; index < disk->count; index++) {
        const struct stored *file = &disk->files[index];
        struct stored *other = &copy->files[index];
        other->path = copied(file->path, strlen(file->path) + 1);
        other->now = copied(file->now, file->capacity);
        other->kept = copied(file->kept, file->capacity);
        other->waiting = copied(file->waiting, file->capacity / SECTOR * sizeof *file->waiting);
        if (file->replaced) { other->replaced = copy->files + (file->replaced - disk->files); }
    }
    const int code = fail_power(copy, folder);
    disk->account = copy->account;
    release(copy);
    return code;
}

void gatehouse_disk_fork(gatehouse_disk *disk, const char *folder, unsigned long long step) {
    HOLD(disk);
    free(disk->fork_folder);
    disk->fork_folder = copied(folder, strlen(folder) + 1);
    disk->fork_step = disk->account.steps + step;
    disk->fork_code = EAGAIN;
    if (step == 0) { make_fork(disk); }
}

int gatehouse_disk_end_fork(gatehouse_disk *disk) {
    HOLD(disk);
    free(disk->fork_folder);
    disk->fork_folder = NULL;
    return disk->fork_code;
}
