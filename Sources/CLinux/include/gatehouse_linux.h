// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_LINUX_H
#define GATEHOUSE_LINUX_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Linux calls that Swift's Glibc module does not offer. Every function here returns a negative `errno` value
// when the system refuses, and never sets `errno` for the caller to read.
//
// Thread tags: [any-thread] callable at any time; [main-thread, first] call it on the main thread before any
// other thread exists, because signal masks are per thread and are inherited by the threads created
// afterwards.

/// Creates an empty anonymous file that can be sealed, and returns its descriptor (close-on-exec, the
/// caller's to close).
///
/// `name` is a NUL-terminated label of at most 249 bytes, seen only in /proc. The file is asked to be
/// executable where the kernel knows that question (6.3 and later); older kernels make every such file
/// executable. The corresponding C function is `memfd_create`. [any-thread]
int gatehouse_memfd_create(const char *name);

/// Makes the content and size of a file from `gatehouse_memfd_create` final: no write, growth, shrinking or
/// further seal.
///
/// Returns 0. Fails with `-EBUSY` while a writable shared mapping exists. The corresponding C call is
/// `fcntl(F_ADD_SEALS)` with all four seals. [any-thread]
int gatehouse_memfd_seal(int descriptor);

/// Blocks SIGINT and SIGTERM (and SIGHUP when `hang_up`) and returns a descriptor that becomes readable when
/// one arrives.
///
/// The descriptor is non-blocking and close-on-exec; the caller closes it. Processes started afterwards
/// inherit the blocked set and should reset it. The corresponding C functions are `pthread_sigmask` and
/// `signalfd`. [main-thread, first]
int gatehouse_signals_open(bool hang_up);

/// Takes one arrived signal from a descriptor of `gatehouse_signals_open`: its number, or 0 when none is
/// waiting.
///
/// [any-thread]
int gatehouse_signals_next(int descriptor);

/// Makes writing to a closed pipe or socket fail with `EPIPE` instead of ending the process; returns 0.
///
/// Holds for the whole process. The corresponding C function is `signal(SIGPIPE, SIG_IGN)`. [any-thread]
int gatehouse_ignore_broken_pipe(void);

/// Calls `visit` with the path of each library that is mapped into this process, in the order of loading.
///
/// The path is as the loader opened it, valid during the call, and empty for the program itself. `visit` must
/// not load libraries. The corresponding C function is `dl_iterate_phdr`. [any-thread]
void gatehouse_visit_libraries(void (*visit)(const char *path, void *context), void *context);

#ifdef __cplusplus
}
#endif

#endif
