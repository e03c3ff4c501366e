// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_TRACES_H
#define GATEHOUSE_TRACES_H

#include <stdbool.h>
#include <stddef.h>

// What the program gives plugins in its process that carry traces from and to other services. Weak, because a worker of another version or
// a test may not have it.
__attribute__((weak)) bool gatehouse_is_traced(void);
__attribute__((weak)) size_t gatehouse_traceparent(char *text, size_t room);

/// Whether the host makes spans of its actions; false where nobody can tell. [any-thread]
static inline bool gatehouse_traces_are_on(void) { return gatehouse_is_traced != NULL && gatehouse_is_traced(); }

/// Writes the header `traceparent` of the action that the calling thread has in hand, with a NUL; false where there is none. [any-thread]
static inline bool gatehouse_traces_write_header(char *text, size_t room) {
    return gatehouse_traceparent != NULL && gatehouse_traceparent(text, room) > 0;
}

#endif
