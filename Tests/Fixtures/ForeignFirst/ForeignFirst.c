// SPDX-License-Identifier: Apache-2.0

#include <pthread.h>
#include <string.h>

#include "gatehouse_foreign.h"

GATEHOUSE_MANIFEST({
    "id": "foreign-first", "version": "1.0.0", "summary": "Is as old as the contract",
    "consumes": ["work", "done"], "emits": ["done"]
});

static const struct gatehouse_foreign_host_v1 *host;

static struct gatehouse_text text(const char *characters) {
    return (struct gatehouse_text){characters, strlen(characters)};
}

static int is(const struct gatehouse_action *action, const char *type) {
    return action->type.count == strlen(type) && memcmp(action->type.bytes, type, strlen(type)) == 0;
}

/// What the thread works for; there is one instance.
static struct {
    gatehouse_instance instance;
    gatehouse_work work;
} task;

static void *work(void *context) {
    struct gatehouse_action done = {.type = text("done"), .payload = text("{\"count\":1}")};
    (void)context;
    host->emit(task.instance, task.work, &done);
    host->end(task.instance, task.work);
    return NULL;
}

static void run_after(void *self, gatehouse_instance instance, const struct gatehouse_action *action) {
    pthread_t thread;
    (void)self;
    if (!is(action, "work")) return;
    task.instance = instance;
    task.work = host->begin(instance, text("work"), GATEHOUSE_FOREGROUND);
    if (pthread_create(&thread, NULL, work, NULL) == 0) pthread_detach(thread);
}

static void initial_state(void *self, gatehouse_instance instance, struct gatehouse_receiver receiver) {
    (void)self, (void)instance;
    receiver.receive(receiver.context, text("{\"count\":0}"));
}

static void reduce(
    void *self, gatehouse_instance instance, const struct gatehouse_action *action, struct gatehouse_text state,
    struct gatehouse_receiver receiver) {
    (void)self, (void)instance, (void)state;
    if (is(action, "done")) receiver.receive(receiver.context, action->payload);
}

static const struct gatehouse_foreign_plugin_v1 plugin = {
    .size = sizeof plugin,
    .state_version = 1,
    .run_after = run_after,
    .initial_state = initial_state,
    .reduce = reduce,
};

const struct gatehouse_foreign_plugin_v1 *GATEHOUSE_ENTRY(const struct gatehouse_foreign_host_v1 *table) {
    host = table;
    return &plugin;
}
