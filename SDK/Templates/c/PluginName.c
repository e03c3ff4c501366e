#include <stdio.h>
#include <string.h>

#include "gatehouse_foreign.h"

GATEHOUSE_MANIFEST({
    "id": "plugin-id",
    "version": "0.1.0",
    "summary": "Greets whoever says hello",
    "consumes": ["hello"],
    "emits": ["greeted"]
});

/// What the host offers; set once, by the entry.
static const struct gatehouse_foreign_host_v1 *host;

/// A text of C, for the host.
static struct gatehouse_text text(const char *characters) {
    return (struct gatehouse_text){characters, strlen(characters)};
}

/// Answers `hello` with `greeted`, which holds what came with it: JSON in JSON.
static void greet(void *self, gatehouse_instance instance, const struct gatehouse_action *hello) {
    (void)self;
    struct gatehouse_text name = hello->payload.count ? hello->payload : text("null");
    char payload[1024];
    int length =
        name.count < sizeof payload
            ? snprintf(payload, sizeof payload, "{\"text\":\"Hello!\",\"to\":%.*s}", (int)name.count, name.bytes)
            : -1;
    if (length < 0 || (size_t)length >= sizeof payload) {
        host->log(instance, GATEHOUSE_WARNING, text("a name is too long to be greeted"));
        return;
    }
    struct gatehouse_action greeted = {.type = text("greeted"), .payload = {payload, (uint64_t)length}};
    host->emit(instance, 0, &greeted);
}

/// The functions that this plugin has; all others are NULL.
static const struct gatehouse_foreign_plugin_v1 plugin = {.size = sizeof plugin, .run_after = greet};

const struct gatehouse_foreign_plugin_v1 *gatehouse_foreign_v1(const struct gatehouse_foreign_host_v1 *table) {
    host = table;
    return &plugin;
}
