// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE

#include "restless.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void restless_do(const char *deed) {
    if (strcmp(deed, "trap") == 0) { __builtin_trap(); }
    if (strcmp(deed, "loop") == 0) {
        for (volatile int turn = 0;; turn++) {}
    }
    if (strcmp(deed, "exit") == 0) { exit(0); }
    if (strcmp(deed, "close") == 0) { closefrom(0); }
    if (strcmp(deed, "closeTold") == 0) { closefrom(3); }
    if (strcmp(deed, "print") == 0) { printf("from a plugin\n"); }
    if (strcmp(deed, "fork") == 0 && fork() == 0) {
        for (;;) { pause(); }
    }
}

/// Runs when the library is loaded.
__attribute__((constructor)) static void on_load(void) {
    const char *deed = getenv("RESTLESS");
    if (deed != NULL) { restless_do(deed); }
}
