// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_POWER_LOSS_H
#define GATEHOUSE_POWER_LOSS_H

#ifdef __cplusplus
extern "C" {
#endif

/// The name of the VFS.
#define GATEHOUSE_POWER_LOSS "powerloss"

/// Registers the VFS with SQLite; further calls do nothing. [any-thread]
///
/// Files opened through it behave as usual. It also records for each file what would be on the disk if the power failed: the contents at
/// the last sync of any of its handles.
void gatehouse_power_register(void);

/// Copies all files of a folder that were opened through the VFS to another folder, as they would be after a power failure at this moment.
///
/// Each sector of 512 bytes that was written and not synced is kept with a probability of `kept` in 1,000, chosen by `seed`. The size of a
/// file is that of the last sync, or more if a later sector is kept. A file that was never synced is there only if `kept` is above 0.
/// Returns 0, or an `errno` value. [any-thread]
int gatehouse_power_cut(const char *folder, const char *target, unsigned long long seed, unsigned kept);

/// The calls that can be made to fail.
enum { GATEHOUSE_POWER_WRITE = 1, GATEHOUSE_POWER_SYNC = 2 };

/// Makes calls for files whose path ends with `path` fail with a result code of SQLite, after `spared` more calls, for ever.
///
/// There is one such rule for each path; a `calls` of 0 removes it. The failing call changes nothing, and sets `errno` to `system`.
/// [any-thread]
void gatehouse_power_fail(const char *path, int calls, int spared, int code, int system);

/// The number of calls of a kind for a file, including the failing ones. [any-thread]
long gatehouse_power_calls(const char *path, int call);

/// Waits until everything written to a file is synced. [any-thread]
void gatehouse_power_await_sync(const char *path);

#ifdef __cplusplus
}
#endif

#endif
