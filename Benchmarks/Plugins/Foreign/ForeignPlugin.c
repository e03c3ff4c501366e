// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "gatehouse_foreign.h"

GATEHOUSE_MANIFEST({
    "id": "foreign",
    "version": "1.0.0",
    "summary": "Hears in C, and answers where it is asked",
    "consumes": ["ping", "ask"],
    "emits": ["answered"]
});

/// What the host offers; set once, by the entry.
static const struct gatehouse_foreign_host_v1 *host;

/// Answers `ask` with what came with it.
static void answer(void *self, gatehouse_instance instance, const struct gatehouse_action *action) {
    (void)self;
    if (action->type.count != 3 || memcmp(action->type.bytes, "ask", 3) != 0) return;
    struct gatehouse_action answered = {.type = {"answered", 8}, .payload = action->payload};
    host->emit(instance, 0, &answered);
}

/// The functions that this plugin has; all others are NULL.
static const struct gatehouse_foreign_plugin_v1 plugin = {.size = sizeof plugin, .run_after = answer};

const struct gatehouse_foreign_plugin_v1 *gatehouse_foreign_v1(const struct gatehouse_foreign_host_v1 *table) {
    host = table;
    return &plugin;
}
