// SPDX-License-Identifier: Apache-2.0

#ifndef PLANTED_H
#define PLANTED_H

#include <stdbool.h>

/// Whether the library's bytes name this regression: tests write the name over `none` after the mark `planted regression: `.
bool planted_has(const char *regression);

#endif
