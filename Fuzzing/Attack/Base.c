// SPDX-License-Identifier: Apache-2.0
// A plugin with some of everything that the loader goes through. Its one action uses all of it.

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gatehouse_foreign.h"

GATEHOUSE_MANIFEST({
    "id": "seed", "version": "1.0.0", "summary": "Is damaged", "consumes": ["go"], "emits": ["gone"]
});

static const struct gatehouse_foreign_host_v1 *host;
static __thread int counted = 7;
static __thread char name[64];
static char room[100000];
static int numbers[1000] = {3, 1, 2};
static const char *const words[] = {"one", "two", "three"};
static size_t (*const measures[])(const char *) = {strlen, (size_t (*)(const char *))atol};
extern int somewhere(int) __attribute__((weak));

__attribute__((constructor)) static void first(void) { room[0] = (char)counted; }

static int compare(const void *one, const void *other) { return *(const int *)one - *(const int *)other; }

static void go(void *self, gatehouse_instance instance, const struct gatehouse_action *action) {
    (void)self;
    (void)action;
    qsort(numbers, 3, sizeof *numbers, compare);
    char *copy = strdup(words[numbers[0] % 3]);
    size_t length = measures[0](copy) + measures[1]("12");
    snprintf(name, sizeof name, "{\"text\":\"%c%s\",\"count\":%zu}", toupper(copy[0]), copy + 1, length + counted++);
    free(copy);
    memset(room, numbers[1], sizeof room);
    if (somewhere) somewhere(counted);
    if (getenv("GATEHOUSE_SEED_LOUD")) fprintf(stderr, "%s\n", name);
    struct gatehouse_action gone = {.type = {"gone", 4}, .payload = {name, strlen(name)}};
    host->emit(instance, 0, &gone);
}

static const struct gatehouse_foreign_plugin_v1 plugin = {.size = sizeof plugin, .run_after = go};

const struct gatehouse_foreign_plugin_v1 *gatehouse_foreign_v1(const struct gatehouse_foreign_host_v1 *table) {
    host = table;
    return &plugin;
}
