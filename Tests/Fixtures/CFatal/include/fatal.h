// SPDX-License-Identifier: Apache-2.0

#ifndef FATAL_H
#define FATAL_H

/// Ends the process: "trap", "abort", "segv", "divide", "overflow" of the stack, "unheard", a trap of which no handler is told, "kill",
/// "exit", "_exit", "quick_exit", "vanish", an end past the C library, "pthread_exit", "memory" without end, "shared" memory, or "forkTrap", beside a child.
/// Or takes what the host needs: "close" and "closeOne" its descriptors, "stop". Or never comes back:
/// "loop" asleep, "spin" awake, "lie" after it has sent its host nonsense. "fork" leaves a child behind. With "armed-" in front only
/// while there is a file of the name armed; with "awaited-" as soon as there is one, which it removes. Anything else does nothing.
void fatal_do(const char *deed);

/// The same if a file can be removed.
void fatal_do_once(const char *deed, const char *file);

/// The same on a thread of its own, which is waited for.
void fatal_do_aside(const char *deed);

/// The same on a thread of its own, a moment later.
void fatal_do_later(const char *deed);

#endif
