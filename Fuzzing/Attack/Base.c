// SPDX-License-Identifier: Apache-2.0
// A library with some of everything that the loader goes through; Scripts/attack puts a note in front of it. Its entry
// refuses, so that the host loads it, asks, and goes on without it.

#include <stdio.h>
#include <stdlib.h>

static __thread int counted = 7;
static char room[100000];
static const char *const words[] = {"one", "two", "three"};
int (*const table[])(const char *) = {puts, atoi};
extern int somewhere(int) __attribute__((weak));

__attribute__((constructor)) static void first(void) { room[0] = (char)counted; }

void *gatehouse_plugin_v1_Seed(const void *host) {
    if (!host) puts(words[room[0] % 3]);
    return somewhere ? (void *)table : NULL;
}
