// SPDX-License-Identifier: Apache-2.0

// Taking rights from this process before code runs in it that nobody has judged. None of it can be taken back, and children inherit
// it. Everything here belongs to the only thread of a process, unless it says otherwise: what other threads may do is not changed.

#ifndef GATEHOUSE_CONFINE_H
#define GATEHOUSE_CONFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Something that a confined process may still reach; nothing else can be opened, neither to change nor to read it.
struct gatehouse_grant {
    /// A file or a folder; with a folder all that is in it.
    const char *path;
    /// Whether it may be changed.
    bool is_writable;
};

/// The version of Landlock that the kernel offers, 1 or more; minus an errno without one.
int gatehouse_landlock_version(void);

/// Closes all descriptors above 2 except some, which are in ascending order; returns 0, or minus an errno.
int gatehouse_close_others(const int *kept, size_t count);

/// Gives up all capabilities, so that root is a user like others; returns 0, or minus an errno.
///
/// With one of them a process reads the environment and the map of the memory of others, whatever Landlock says.
int gatehouse_drop_capabilities(void);

/// Denies this process all files apart from those granted, and what else Landlock of a version can deny: TCP from 4 on, abstract sockets
/// and signals of others from 6 on. Returns 0, or minus an errno; a grant of a file that is not there has no effect.
///
/// It also rules out that a program started from here gets more rights.
int gatehouse_confine_files(int version, const struct gatehouse_grant *grants, size_t count);

/// Bounds the system calls of this process by a program for the kernel; returns 0, or minus an errno.
///
/// - program: its instructions, of eight bytes each.
/// - own: what stands there for the number of this process.
/// - all_threads: whether that counts for all threads of this process; -ECANCELED where one of them has bounds of its own.
int gatehouse_confine_calls(const uint64_t *program, size_t count, uint32_t own, bool all_threads);

/// Waits until another process traces this one, as debuggers do, and lets any process of this user do that, which some systems allow
/// ancestors alone.
void gatehouse_wait_for_tracer(void);

#endif
