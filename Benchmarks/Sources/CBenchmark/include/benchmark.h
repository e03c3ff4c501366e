// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_BENCHMARK_H
#define GATEHOUSE_BENCHMARK_H

#include <stddef.h>

#ifdef __cplusplus
#define GATEHOUSE_NOEXCEPT noexcept
extern "C" {
#else
#define GATEHOUSE_NOEXCEPT
#endif

/// Does nothing; whoever counts instructions begins a new count whenever it is called.
void gatehouse_benchmark_mark(void) GATEHOUSE_NOEXCEPT;

/// Parses each line of a file with simdjson's DOM parser, one parser for all.
///
/// Returns how many lines are valid JSON, or -1 when the file cannot be read.
long gatehouse_benchmark_parse_lines(const char *path) GATEHOUSE_NOEXCEPT;

#undef GATEHOUSE_NOEXCEPT

#ifdef __cplusplus
}
#endif

#endif
