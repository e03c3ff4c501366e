// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_SWIFT_RUNTIME_H
#define GATEHOUSE_SWIFT_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the readable form of a mangled Swift name, or NULL for any other name.
///
/// `name` has `length` bytes and needs no NUL. With NULL for `buffer` and `size` the result is a string from `malloc`
/// that the caller must free. `flags` is 0. Every Swift program has the function from libswiftCore; no Swift
/// declaration exists. [any-thread]
char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags);

#ifdef __cplusplus
}
#endif

#endif
