// SPDX-License-Identifier: Apache-2.0

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

// Ends the process, and so makes a finding of the input, unless something holds.
static void promise(bool holds, const char *words) {
    if (holds) return;
    fprintf(stderr, "%s\n", words);
    abort();
}
