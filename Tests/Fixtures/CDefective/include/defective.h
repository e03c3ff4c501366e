// SPDX-License-Identifier: Apache-2.0

#ifndef DEFECTIVE_H
#define DEFECTIVE_H

#include <stdbool.h>

#define HIDDEN __attribute__((visibility("hidden")))

/// Whether the variable DEFECT of the environment is this text.
HIDDEN bool defective_has(const char *defect);

/// Does what the variable DEFECT says, if that begins with this place and a slash: `start/trap`.
///
/// trap, loop, exit, sleep (1.2 s), nap (50 ms), doze (300 ms), allocate (until somebody ends it), print, warn, fork, daemon (a
/// process that leaves its group), signal, mask, environment, umask, folder, locale, limits, close (standard input), round,
/// file, descriptor, thread, leak (2 KiB), hog (64 MiB), reserve (256 MiB for a moment, unused; trap where there are none), spin
/// (a thread that computes).
HIDDEN void defective_do(const char *place);

/// Whether this process is a worker of a host.
HIDDEN bool defective_is_in_worker(void);

/// Waits for ever in one call, which nothing ends.
HIDDEN void defective_wait_for_news(void);

/// Waits for ever, whatever the task is told.
HIDDEN void defective_wait(void);

#endif
