// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_FRAMES_H
#define GATEHOUSE_FRAMES_H

// ucontext_t names its registers only on request, which must come before the first header.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/// Where a thread stopped.
struct registers {
    uint64_t instruction, frame, stack;
};

/// Where a signal has interrupted a thread.
struct registers registers_of(const ucontext_t *context);

/// Where the calling thread is.
struct registers registers_here(void);

/// Sees one address of a call after another, the innermost first; stops the walk by true.
typedef bool (*frame_visitor)(void *context, uint64_t address);

/// Shows the calls of a thread to a visitor until that stops it, and gives whether it has: the instruction first where it is not 0, of
/// each call around it the byte before the one to which it returns. Where the chain of frames leads to nothing that stops it, another one
/// is looked for a little above. The C library keeps no frames: a thread that
/// stopped there is followed by the tables of the libraries. A signal handler may ask.
bool visit_frames(struct registers registers, frame_visitor visit, void *context);

/// Collects the calls of a thread, the innermost first; gives how many. A signal handler may ask.
size_t collect_frames(struct registers registers, uint64_t *addresses, size_t room);

#endif
