// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_POWER_LOSS_H
#define GATEHOUSE_POWER_LOSS_H

#ifdef __cplusplus
extern "C" {
#endif

/// The name of the VFS.
#define GATEHOUSE_POWER_LOSS "powerloss"

/// Makes the VFS known to SQLite; once is enough, more calls do nothing. [any-thread]
///
/// Files that are opened through it behave as usual. Besides, it knows of each what would be on the disk if the power went: what was there
/// at the last sync of any of its handles.
void gatehouse_power_register(void);

/// Copies all files of a folder that were opened through the VFS to another folder, as they would be after a power failure at this moment.
///
/// Of the sectors of 512 bytes that were written and not synced, each is there with a chance of `kept` in 1,000, chosen by `seed`; the
/// size of a file is that of the last sync, or more where a sector behind it is there. A file that was never synced is there only if
/// `kept` is above 0. Returns 0, or an `errno` value. [any-thread]
int gatehouse_power_cut(const char *folder, const char *target, unsigned long long seed, unsigned kept);

/// The calls that can be made to fail.
enum { GATEHOUSE_POWER_WRITE = 1, GATEHOUSE_POWER_SYNC = 2 };

/// Lets calls for files whose path ends so fail with a result code of SQLite, from the one after `spared` more on, for ever.
///
/// There is one such rule for each path; `calls` is 0 to take it back. The failing call changes nothing, and sets `errno` to
/// `system`. [any-thread]
void gatehouse_power_fail(const char *path, int calls, int spared, int code, int system);

/// How often calls of a kind were made for a file, the failing ones included. [any-thread]
long gatehouse_power_calls(const char *path, int call);

/// Waits until all that was written to a file is synced. [any-thread]
void gatehouse_power_await_sync(const char *path);

#ifdef __cplusplus
}
#endif

#endif
