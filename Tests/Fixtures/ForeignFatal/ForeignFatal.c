// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fatal.h"
#include "gatehouse_foreign.h"

GATEHOUSE_MANIFEST({
    "id": "foreign-fatal", "version": "1.0.0", "summary": "Ends the process in work that has waited, or when that is cancelled",
    "consumes": ["perform", "cancelled"], "emits": []
});

static const struct gatehouse_foreign_host_v1 *host;

static struct gatehouse_text text(const char *characters) {
    return (struct gatehouse_text){characters, strlen(characters)};
}

static int is(const struct gatehouse_action *action, const char *type) {
    return action->type.count == strlen(type) && memcmp(action->type.bytes, type, strlen(type)) == 0;
}

/// What is done when work is cancelled.
static char last[32];

/// Copies a string of JSON without its quotation marks.
static void copy(char deed[32], struct gatehouse_text json) {
    const size_t count = json.count < 2 ? 0 : json.count - 2;
    snprintf(deed, 32, "%.*s", (int)count, count == 0 ? "" : json.bytes + 1);
}

static void *create(gatehouse_instance instance, struct gatehouse_text settings) {
    (void)instance, (void)settings;
    return last;
}

static void destroy(void *self, gatehouse_instance instance) { (void)self, (void)instance; }

static uint32_t handle(void *self, gatehouse_instance instance, const struct gatehouse_action *action) {
    (void)self;
    if (is(action, "perform")) { host->begin_when_kept(instance, text(""), GATEHOUSE_FOREGROUND, action->payload); }
    if (is(action, "cancelled")) {
        copy(last, action->payload);
        host->begin(instance, text("work"), GATEHOUSE_FOREGROUND);
        host->cancel(instance, text("work"));
    }
    return 0;
}

static void perform(
    void *self, gatehouse_instance instance, gatehouse_work work, struct gatehouse_text key, struct gatehouse_text memo) {
    char deed[32];
    (void)self, (void)key;
    copy(deed, memo);
    fatal_do(deed);
    host->end(instance, work);
}

static void cancelled(void *self, gatehouse_instance instance, gatehouse_work work) {
    (void)self, (void)instance, (void)work;
    fatal_do(last);
}

static const struct gatehouse_foreign_plugin_v1 plugin = {
    .size = sizeof plugin,
    .create = create,
    .destroy = destroy,
    .handle = handle,
    .cancelled = cancelled,
    .perform = perform,
};

const struct gatehouse_foreign_plugin_v1 *GATEHOUSE_ENTRY(const struct gatehouse_foreign_host_v1 *table) {
    host = table;
    return &plugin;
}
