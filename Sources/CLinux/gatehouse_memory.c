// SPDX-License-Identifier: Apache-2.0

#include "gatehouse_linux.h"

#include <malloc.h>

long long gatehouse_live_bytes(void) {
    const struct mallinfo2 memory = mallinfo2();
    return (long long)memory.uordblks + (long long)memory.hblkhd;
}

void gatehouse_trim_heap(void) { malloc_trim(0); }
