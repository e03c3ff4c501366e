// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "gatehouse_confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Headers of a distribution end at what its kernel knew, and a newer kernel may know more; hence Landlock's form is written out.

/// The attributes of a ruleset; older kernels know the first of them alone.
struct ruleset {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
};

/// A rule about what lies beneath a path.
struct beneath {
    uint64_t rights;
    int32_t parent;
} __attribute__((packed));

enum {
    rule_beneath = 1,
    flag_version = 1,
    right_execute = 1 << 0,
    right_write = 1 << 1,
    right_read = 1 << 2,
    right_list = 1 << 3,
    /// All rights of version 1.
    rights_first = (1 << 13) - 1,
    right_refer = 1 << 13,
    right_truncate = 1 << 14,
    right_control = 1 << 15,
    network_all = 3,
    scopes_all = 3,
};

int gatehouse_landlock_version(void) {
    const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, flag_version);
    return version < 0 ? -errno : (int)version;
}

int gatehouse_close_others(const int *kept, size_t count) {
    unsigned first = STDERR_FILENO + 1;
    for (size_t place = 0; place <= count; place++) {
        const unsigned end = place < count ? (unsigned)kept[place] : ~0u;
        if (end > first && syscall(SYS_close_range, first, end == ~0u ? end : end - 1, 0) != 0) { return -errno; }
        if (end >= first) { first = end + 1; }
    }
    return 0;
}

/// The rights to files that a version of Landlock knows.
static uint64_t file_rights(int version) {
    uint64_t rights = rights_first;
    if (version >= 2) { rights |= right_refer; }
    if (version >= 3) { rights |= right_truncate; }
    if (version >= 5) { rights |= right_control; }
    return rights;
}

/// Allows what a grant says; what is not there needs nothing.
static int allow(int ruleset, int version, const struct gatehouse_grant *grant) {
    const int file = open(grant->path, O_PATH | O_CLOEXEC);
    if (file < 0) { return errno == ENOENT || errno == ENOTDIR ? 0 : -errno; }
    struct stat status;
    int failure = fstat(file, &status) == 0 ? 0 : -errno;
    // To control a device is nobody's right.
    uint64_t rights = right_execute | right_read | right_list;
    if (grant->is_writable) { rights = file_rights(version) & ~(uint64_t)right_control; }
    if (failure == 0 && !S_ISDIR(status.st_mode)) { rights &= right_execute | right_write | right_read | right_truncate; }
    const struct beneath rule = {rights, file};
    if (failure == 0 && syscall(SYS_landlock_add_rule, ruleset, rule_beneath, &rule, 0) != 0) { failure = -errno; }
    close(file);
    return failure;
}

int gatehouse_drop_capabilities(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}, {0, 0, 0}};
    struct __user_cap_data_struct held[_LINUX_CAPABILITY_U32S_3];
    // Services that may call it no more have nothing to give up.
    if (syscall(SYS_capget, &header, held) == 0 && memcmp(held, none, sizeof held) == 0) { return 0; }
    // A program that root starts gets all that the bounding set leaves.
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EPERM) { return -errno; }
    }
    return syscall(SYS_capset, &header, none) == 0 ? 0 : -errno;
}

int gatehouse_confine_files(int version, const struct gatehouse_grant *grants, size_t count) {
    const struct ruleset attributes = {
        file_rights(version), version >= 4 ? network_all : 0, version >= 6 ? scopes_all : 0};
    const size_t size = version >= 6 ? sizeof attributes : version >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) { return -errno; }
    const int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
    if (ruleset < 0) { return -errno; }
    int failure = 0;
    for (size_t place = 0; place < count && failure == 0; place++) { failure = allow(ruleset, version, &grants[place]); }
    if (failure == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) { failure = -errno; }
    close(ruleset);
    return failure;
}

int gatehouse_confine_calls(const uint64_t *program, size_t count, uint32_t own, bool all_threads) {
    _Static_assert(sizeof(struct sock_filter) == sizeof(uint64_t), "an instruction has eight bytes");
    struct sock_filter *filter = calloc(count, sizeof *filter);
    if (filter == NULL) { return -ENOMEM; }
    memcpy(filter, program, count * sizeof *filter);
    const uint32_t process = (uint32_t)getpid();
    for (size_t place = 0; place < count; place++) {
        if (BPF_CLASS(filter[place].code) == BPF_JMP && filter[place].k == own) { filter[place].k = process; }
    }
    const struct sock_fprog whole = {(unsigned short)count, filter};
    int failure = 0;
    const unsigned flags = all_threads ? SECCOMP_FILTER_FLAG_TSYNC : 0;
    // Bounds that are there may rule out to ask for this again.
    const bool is_ready = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    const long result = is_ready ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &whole) : -1;
    if (result < 0) { failure = -errno; }
    // The number of a thread that has taken another filter by itself.
    if (result > 0) { failure = -ECANCELED; }
    free(filter);
    return failure;
}

/// Whether another process traces this one.
static bool is_traced(void) {
    char status[4096];
    const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    const ssize_t count = file < 0 ? -1 : read(file, status, sizeof status - 1);
    if (file >= 0) { close(file); }
    if (count <= 0) { return false; }
    status[count] = 0;
    const char *tracer = strstr(status, "\nTracerPid:");
    return tracer != NULL && strtol(tracer + sizeof "\nTracerPid:" - 1, NULL, 10) != 0;
}

void gatehouse_wait_for_tracer(void) {
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    const struct timespec moment = {.tv_nsec = 50000000};
    while (!is_traced()) { nanosleep(&moment, NULL); }
}
