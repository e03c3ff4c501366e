// SPDX-License-Identifier: Apache-2.0

// Replaces the C library's allocator for the whole process and counts per thread. The executable's symbols win over
// those of every shared library, so allocations of the Swift runtime are counted too.

#include "CAllocations.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)

// The real allocator, by the names that glibc exports beside the replaceable ones.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

/// Allocations made by the thread; initial-exec storage, so that reading it never allocates.
static __thread uint64_t allocations __attribute__((tls_model("initial-exec")));

void *malloc(size_t size) {
    allocations += 1;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations += 1;
    return __libc_calloc(count, size);
}

void *realloc(void *pointer, size_t size) {
    allocations += 1;
    return __libc_realloc(pointer, size);
}

void *memalign(size_t alignment, size_t size) {
    allocations += 1;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    allocations += 1;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) { return EINVAL; }
    allocations += 1;
    void *pointer = __libc_memalign(alignment, size);
    if (pointer == NULL) { return ENOMEM; }
    *result = pointer;
    return 0;
}

bool allocations_are_counted(void) { return true; }
uint64_t allocations_of_this_thread(void) { return allocations; }

uint64_t bytes_in_use(void) {
    struct mallinfo2 all = mallinfo2();
    return (uint64_t)all.uordblks + (uint64_t)all.hblkhd;
}

#else

bool allocations_are_counted(void) { return false; }
uint64_t allocations_of_this_thread(void) { return 0; }
uint64_t bytes_in_use(void) { return 0; }

#endif
