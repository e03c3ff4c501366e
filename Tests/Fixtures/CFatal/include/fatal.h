// SPDX-License-Identifier: Apache-2.0

#ifndef FATAL_H
#define FATAL_H

/// Ends the process: "trap", "abort", "segv", "divide", "overflow" of the stack, "unheard", a trap of which no handler is told, or
/// "kill"; or never comes back: "loop". Anything else does nothing.
void fatal_do(const char *deed);

/// The same on a thread of its own, which is waited for.
void fatal_do_aside(const char *deed);

#endif
