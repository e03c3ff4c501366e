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

/// Where a signal interrupted a thread.
struct registers registers_of(const ucontext_t *context);

/// Where the calling thread is.
struct registers registers_here(void);

/// Receives one address of a call after another, the innermost first; returns true to stop.
typedef bool (*frame_visitor)(void *context, uint64_t address);

/// Shows the calls of a thread to a visitor until that stops it, and returns whether it did: first the instruction where it is not 0,
/// then for each call around it the byte before its return address. If the chain of frames ends before the visitor stops, looks for
/// another chain a little above. The C library keeps no frames: a thread that stopped there is followed by the unwind tables of the
/// libraries. Callable from a signal handler.
bool visit_frames(struct registers registers, frame_visitor visit, void *context);

/// Collects the calls of a thread, the innermost first; returns their number. Callable from a signal handler.
size_t collect_frames(struct registers registers, uint64_t *addresses, size_t room);

#endif
