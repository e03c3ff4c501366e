// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_SHA256_H
#define GATEHOUSE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Folds `count` blocks of 64 bytes into the eight words of a chaining value, in order. `blocks` needs no alignment. [any-thread]
///
/// The processor's own instructions for SHA-256, which Swift does not offer, are about five times as fast as plain code; `portably`
/// does without them.
__attribute__((visibility("hidden"))) void
gatehouse_sha256_compress(uint32_t state[8], const void *blocks, size_t count, bool portably);

#ifdef __cplusplus
}
#endif

#endif
