// SPDX-License-Identifier: Apache-2.0
//
// usage: forgetful KEPT MOUNTPOINT
//
// A file system for FUSE that keeps in its memory what is written to it, and writes to the folder KEPT only what a program
// syncs. SIGKILL for this process is therefore a power failure for the programs above it: started again with the same folder,
// it shows the files as they were synced, and nothing else. Runs in the foreground.
//
// What a sync keeps is what ext4 keeps: the bytes and the size of that file, and all names in the order of their changes,
// whichever folder they are in. A file that has a name and was never synced comes back empty. What nobody syncs is kept when
// Linux would write it by its defaults: names 5 seconds after their change, bytes 30 seconds after the first that is not kept.
//
// KEPT/names has a line for each name: number of the file, mode and path. KEPT/NUMBER has the bytes of a file.

#define _GNU_SOURCE
#define FUSE_USE_VERSION 31

#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { PAGE = 4096, NAMES_AGE = 5, BYTES_AGE = 30 };

/// A file or folder, which lives as long as it has a name or is open.
struct node {
    unsigned long number;
    mode_t mode;
    struct timespec changed;
    unsigned char *bytes;
    /// For each page, whether it was written since the last sync.
    unsigned char *dirty;
    size_t size, capacity;
    int names, opened;
    /// When the first byte was written that is not kept, in seconds; 0 when all are.
    time_t dirty_since;
};

/// A name; a folder has no list of its own, because there are few names.
struct name {
    char *path;
    struct node *node;
};

static struct name *names;
static size_t name_count, name_capacity;
static unsigned long last_number = 1;
static int names_changed;
static time_t names_since;
/// Files that have lost their last name since names were kept; until then a failure brings them back.
static unsigned long *nameless;
static size_t nameless_count;
static int kept;

static void *checked(void *memory) {
    if (!memory) { abort(); }
    return memory;
}

static void grow(struct node *node, size_t size) {
    if (size <= node->capacity) { return; }
    size_t capacity = node->capacity ? node->capacity : 16 * PAGE;
    while (capacity < size) { capacity *= 2; }
    node->bytes = checked(realloc(node->bytes, capacity));
    node->dirty = checked(realloc(node->dirty, capacity / PAGE));
    memset(node->bytes + node->capacity, 0, capacity - node->capacity);
    memset(node->dirty + node->capacity / PAGE, 0, (capacity - node->capacity) / PAGE);
    node->capacity = capacity;
}

static time_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return time.tv_sec + 1;
}

static void touch(struct node *node) {
    clock_gettime(CLOCK_REALTIME, &node->changed);
    if (!node->dirty_since) { node->dirty_since = now(); }
}

static void change_names(void) {
    if (!names_changed) { names_since = now(); }
    names_changed = 1;
}

static struct node *make(unsigned long number, mode_t mode) {
    struct node *node = checked(calloc(1, sizeof *node));
    node->number = number;
    node->mode = mode;
    if (number > last_number) { last_number = number; }
    touch(node);
    return node;
}

static void drop(struct node *node) {
    if (node->names > 0 || node->opened > 0) { return; }
    free(node->bytes);
    free(node->dirty);
    free(node);
}

// MARK: - Names

static struct name *find(const char *path) {
    for (size_t place = 0; place < name_count; place++) {
        if (strcmp(names[place].path, path) == 0) { return &names[place]; }
    }
    return NULL;
}

static void add(const char *path, struct node *node) {
    if (name_count == name_capacity) {
        name_capacity = name_capacity ? name_capacity * 2 : 64;
        names = checked(realloc(names, name_capacity * sizeof *names));
    }
    names[name_count++] = (struct name){checked(strdup(path)), node};
    node->names++;
    change_names();
}

static void take(struct name *name) {
    struct node *node = name->node;
    free(name->path);
    *name = names[--name_count];
    change_names();
    if (--node->names == 0) {
        nameless = checked(realloc(nameless, (nameless_count + 1) * sizeof *nameless));
        nameless[nameless_count++] = node->number;
    }
    drop(node);
}

/// The part of a path below a folder, or null; the folder "/" has an empty prefix.
static const char *below(const char *path, const char *folder) {
    const size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/' && path[length + 1] ? path + length + 1 : NULL;
}

static int has_entries(const char *folder) {
    for (size_t place = 0; place < name_count; place++) {
        if (below(names[place].path, folder)) { return 1; }
    }
    return 0;
}

// MARK: - What is kept

static int write_all(int descriptor, const void *bytes, size_t count, off_t offset) {
    while (count > 0) {
        const ssize_t written = pwrite(descriptor, bytes, count, offset);
        if (written < 0) { return -errno; }
        bytes = (const char *)bytes + written;
        count -= (size_t)written;
        offset += written;
    }
    return 0;
}

static void number_name(unsigned long number, char *text, size_t size) { snprintf(text, size, "%lu", number); }

/// Removes the bytes of files that have lost their last name.
static void remove_nameless(void) {
    for (size_t place = 0; place < nameless_count; place++) {
        char text[32];
        number_name(nameless[place], text, sizeof text);
        unlinkat(kept, text, 0);
    }
    nameless_count = 0;
}

static int keep_names(void) {
    if (!names_changed) { return 0; }
    char *text = NULL;
    size_t length = 0;
    FILE *file = checked(open_memstream(&text, &length));
    for (size_t place = 0; place < name_count; place++) {
        fprintf(file, "%lu %o %s\n", names[place].node->number, names[place].node->mode, names[place].path);
    }
    fclose(file);
    const int descriptor = openat(kept, "names.new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int code = descriptor < 0 ? -errno : write_all(descriptor, text, length, 0);
    free(text);
    if (descriptor >= 0) {
        if (code == 0 && fdatasync(descriptor) != 0) { code = -errno; }
        close(descriptor);
    }
    if (code == 0 && renameat(kept, "names.new", kept, "names") != 0) { code = -errno; }
    if (code == 0) {
        names_changed = 0;
        remove_nameless();
    }
    return code;
}

static int keep(struct node *node) {
    char text[32];
    number_name(node->number, text, sizeof text);
    const int descriptor = openat(kept, text, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) { return -errno; }
    int code = ftruncate(descriptor, (off_t)node->size) == 0 ? 0 : -errno;
    for (size_t offset = 0; code == 0 && offset < node->size; offset += PAGE) {
        if (!node->dirty[offset / PAGE]) { continue; }
        const size_t count = node->size - offset < PAGE ? node->size - offset : PAGE;
        code = write_all(descriptor, node->bytes + offset, count, (off_t)offset);
        if (code == 0) { node->dirty[offset / PAGE] = 0; }
    }
    if (code == 0 && fdatasync(descriptor) != 0) { code = -errno; }
    close(descriptor);
    if (code == 0) { node->dirty_since = 0; }
    return code == 0 ? keep_names() : code;
}

/// Keeps what Linux would have written by itself by now. A failure shows again at the next sync.
static void write_back(void) {
    static time_t latest;
    const time_t time = now();
    if (time == latest) { return; }
    latest = time;
    if (names_changed && time - names_since >= NAMES_AGE) { (void)keep_names(); }
    for (size_t place = 0; place < name_count; place++) {
        struct node *node = names[place].node;
        if (S_ISREG(node->mode) && node->dirty_since && time - node->dirty_since >= BYTES_AGE) { (void)keep(node); }
    }
}

static void load(void) {
    FILE *file = NULL;
    const int list = openat(kept, "names", O_RDONLY | O_CLOEXEC);
    if (list < 0 || !(file = fdopen(list, "r"))) {
        add("/", make(1, S_IFDIR | 0755));
        return;
    }
    unsigned long number;
    mode_t mode;
    char path[PATH_MAX];
    while (fscanf(file, "%lu %o %4095[^\n]\n", &number, &mode, path) == 3) {
        struct node *node = NULL;
        for (size_t place = 0; place < name_count && !node; place++) {
            if (names[place].node->number == number) { node = names[place].node; }
        }
        if (!node) {
            node = make(number, mode);
            char text[32];
            number_name(number, text, sizeof text);
            const int descriptor = S_ISREG(mode) ? openat(kept, text, O_RDONLY | O_CLOEXEC) : -1;
            struct stat status;
            if (descriptor >= 0 && fstat(descriptor, &status) == 0) {
                grow(node, (size_t)status.st_size);
                while (node->size < (size_t)status.st_size) {
                    const ssize_t count = pread(descriptor, node->bytes + node->size,
                        (size_t)status.st_size - node->size, (off_t)node->size);
                    if (count <= 0) { abort(); }
                    node->size += (size_t)count;
                }
            }
            if (descriptor >= 0) { close(descriptor); }
            node->dirty_since = 0;
        }
        add(path, node);
    }
    fclose(file);
    names_changed = 0;
}

// MARK: - Operations

static struct node *opened(const char *path, struct fuse_file_info *info) {
    if (info && info->fh) { return (struct node *)(uintptr_t)info->fh; }
    struct name *name = path ? find(path) : NULL;
    return name ? name->node : NULL;
}

static void *start(struct fuse_conn_info *connection, struct fuse_config *config) {
    (void)connection;
    config->use_ino = 1;
    config->hard_remove = 1;
    config->nullpath_ok = 1;
    return NULL;
}

static int get_status(const char *path, struct stat *status, struct fuse_file_info *info) {
    struct node *node = opened(path, info);
    if (!node) { return -ENOENT; }
    *status = (struct stat){
        .st_ino = node->number, .st_mode = node->mode, .st_nlink = S_ISDIR(node->mode) ? 2 : (nlink_t)node->names,
        .st_uid = geteuid(), .st_gid = getegid(), .st_size = (off_t)node->size, .st_blksize = PAGE,
        .st_blocks = (blkcnt_t)((node->size + 511) / 512),
        .st_atim = node->changed, .st_mtim = node->changed, .st_ctim = node->changed,
    };
    return 0;
}

static int open_file(const char *path, struct fuse_file_info *info) {
    struct name *name = find(path);
    if (!name) { return -ENOENT; }
    name->node->opened++;
    info->fh = (uint64_t)(uintptr_t)name->node;
    return 0;
}

static int create_file(const char *path, mode_t mode, struct fuse_file_info *info) {
    if (find(path)) { return -EEXIST; }
    add(path, make(last_number + 1, S_IFREG | (mode & 07777)));
    return open_file(path, info);
}

static int release_file(const char *path, struct fuse_file_info *info) {
    (void)path;
    struct node *node = (struct node *)(uintptr_t)info->fh;
    node->opened--;
    drop(node);
    return 0;
}

static int read_file(const char *path, char *bytes, size_t count, off_t offset, struct fuse_file_info *info) {
    struct node *node = opened(path, info);
    if ((size_t)offset >= node->size) { return 0; }
    if (count > node->size - (size_t)offset) { count = node->size - (size_t)offset; }
    memcpy(bytes, node->bytes + offset, count);
    return (int)count;
}

static int write_file(const char *path, const char *bytes, size_t count, off_t offset, struct fuse_file_info *info) {
    write_back();
    struct node *node = opened(path, info);
    const size_t end = (size_t)offset + count;
    grow(node, (end + PAGE - 1) / PAGE * PAGE);
    memcpy(node->bytes + offset, bytes, count);
    for (size_t page = (size_t)offset / PAGE; page * PAGE < end; page++) { node->dirty[page] = 1; }
    if (end > node->size) { node->size = end; }
    touch(node);
    if (info->flags & (O_SYNC | O_DSYNC)) {
        const int code = keep(node);
        if (code != 0) { return code; }
    }
    return (int)count;
}

static int set_size(const char *path, off_t size, struct fuse_file_info *info) {
    struct node *node = opened(path, info);
    if (!node) { return -ENOENT; }
    const size_t wanted = (size_t)size;
    grow(node, (wanted + PAGE - 1) / PAGE * PAGE);
    // What lies past the end must read as zeros when the file grows over it again.
    for (size_t page = wanted / PAGE; page * PAGE < node->size; page++) { node->dirty[page] = 1; }
    if (wanted < node->size) { memset(node->bytes + wanted, 0, node->size - wanted); }
    node->size = wanted;
    touch(node);
    return 0;
}

static int sync_file(const char *path, int only_data, struct fuse_file_info *info) {
    (void)only_data;
    struct node *node = opened(path, info);
    return node ? keep(node) : -ENOENT;
}

static int sync_folder(const char *path, int only_data, struct fuse_file_info *info) {
    (void)path;
    (void)only_data;
    (void)info;
    return keep_names();
}

static int make_folder(const char *path, mode_t mode) {
    if (find(path)) { return -EEXIST; }
    add(path, make(last_number + 1, S_IFDIR | (mode & 07777)));
    return 0;
}

static int remove_file(const char *path) {
    struct name *name = find(path);
    if (!name) { return -ENOENT; }
    take(name);
    return 0;
}

static int remove_folder(const char *path) { return has_entries(path) ? -ENOTEMPTY : remove_file(path); }

static int rename_entry(const char *from, const char *to, unsigned int flags) {
    if (flags & ~(unsigned int)RENAME_NOREPLACE) { return -EINVAL; }
    struct name *old = find(to);
    if (old && flags) { return -EEXIST; }
    if (!find(from)) { return -ENOENT; }
    if (strcmp(from, to) == 0) { return 0; }
    if (old && has_entries(to)) { return -ENOTEMPTY; }
    if (old) { take(old); }
    const size_t length = strlen(from);
    for (size_t place = 0; place < name_count; place++) {
        char *path = names[place].path;
        if (strncmp(path, from, length) != 0 || (path[length] && path[length] != '/')) { continue; }
        if (asprintf(&names[place].path, "%s%s", to, path + length) < 0) { abort(); }
        free(path);
    }
    change_names();
    return 0;
}

static int link_file(const char *from, const char *to) {
    struct name *name = find(from);
    if (!name) { return -ENOENT; }
    if (find(to)) { return -EEXIST; }
    add(to, name->node);
    return 0;
}

static int set_mode(const char *path, mode_t mode, struct fuse_file_info *info) {
    struct node *node = opened(path, info);
    if (!node) { return -ENOENT; }
    node->mode = (node->mode & S_IFMT) | (mode & 07777);
    change_names();
    return 0;
}

static int set_owner(const char *path, uid_t user, gid_t group, struct fuse_file_info *info) {
    (void)user;
    (void)group;
    return opened(path, info) ? 0 : -ENOENT;
}

static int set_times(const char *path, const struct timespec times[2], struct fuse_file_info *info) {
    struct node *node = opened(path, info);
    if (!node) { return -ENOENT; }
    if (times[1].tv_nsec == UTIME_NOW) {
        touch(node);
    } else if (times[1].tv_nsec != UTIME_OMIT) {
        node->changed = times[1];
    }
    return 0;
}

static int list_folder(const char *path, void *list, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *info,
    enum fuse_readdir_flags flags) {
    (void)offset;
    (void)flags;
    // An open folder comes without its path.
    for (size_t place = 0; place < name_count && !path; place++) {
        if (names[place].node == opened(NULL, info)) { path = names[place].path; }
    }
    if (!path) { return -ENOENT; }
    fill(list, ".", NULL, 0, 0);
    fill(list, "..", NULL, 0, 0);
    for (size_t place = 0; place < name_count; place++) {
        const char *rest = below(names[place].path, path);
        if (rest && !strchr(rest, '/')) { fill(list, rest, NULL, 0, 0); }
    }
    return 0;
}

static int get_space(const char *path, struct statvfs *space) {
    (void)path;
    return fstatvfs(kept, space) == 0 ? 0 : -errno;
}

int main(int count, char **words) {
    if (count != 3) {
        fprintf(stderr, "usage: forgetful KEPT MOUNTPOINT\n");
        return 64;
    }
    kept = open(words[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (kept < 0) {
        fprintf(stderr, "forgetful: %s: %s\n", words[1], strerror(errno));
        return 66;
    }
    load();
    const struct fuse_operations operations = {
        .init = start, .getattr = get_status, .open = open_file, .create = create_file, .release = release_file,
        .read = read_file, .write = write_file, .truncate = set_size, .fsync = sync_file, .fsyncdir = sync_folder,
        .mkdir = make_folder, .unlink = remove_file, .rmdir = remove_folder, .rename = rename_entry, .link = link_file,
        .chmod = set_mode, .chown = set_owner, .utimens = set_times, .readdir = list_folder, .opendir = open_file,
        .releasedir = release_file, .statfs = get_space,
    };
    // One thread, so that nothing here needs a lock.
    char *options[] = {words[0], "-f", "-s", words[2], NULL};
    return fuse_main(4, options, &operations, NULL);
}
