// SPDX-License-Identifier: Apache-2.0
#ifndef C_ALLOCATIONS_H
#define C_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

/// Whether allocations are counted in this build; false under a sanitizer, which replaces the allocator itself.
bool allocations_are_counted(void);

/// How many heap allocations the calling thread has made since it started; grows only.
uint64_t allocations_of_this_thread(void);

/// The number of heap bytes that the whole process holds at this moment; 0 where allocations are not counted.
uint64_t bytes_in_use(void);

#endif
