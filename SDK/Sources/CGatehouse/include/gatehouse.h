// SPDX-License-Identifier: Apache-2.0
#ifndef GATEHOUSE_H
#define GATEHOUSE_H

#include <stdint.h>

/// The identity of the compiler that translates this header, as the toolchain prints it.
/// Constant, owned by nobody. [any-thread]
static inline const char *gatehouse_compiler_identity(void) { return __clang_version__; }

#endif
