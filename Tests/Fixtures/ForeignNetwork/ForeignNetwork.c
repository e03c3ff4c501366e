// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gatehouse_foreign.h"

GATEHOUSE_MANIFEST({
    "id": "foreign-network", "version": "1.0.0", "summary": "Connects and listens through the host",
    "consumes": ["fetch", "fetch-at-once", "serve"], "emits": ["told"]
});

static const struct gatehouse_foreign_host_v1 *host;

/// What one instance has: the end of a pipe that its thread polls, and the other end, which `stop` closes.
struct network {
    pthread_t server;
    int is_serving, stops, stop;
};

/// What a thread is to do.
struct task {
    gatehouse_instance instance;
    gatehouse_work work;
    uint32_t port;
    int32_t listener;
    int stops;
};

static struct gatehouse_text text(const char *characters) {
    return (struct gatehouse_text){characters, strlen(characters)};
}

static void tell(gatehouse_instance instance, gatehouse_work work, const char *payload) {
    struct gatehouse_action told = {.type = text("told"), .payload = text(payload)};
    host->emit(instance, work, &told);
}

/// Keeps a reason; the sentences have no quotes that JSON would need escaped but those around grants, which become `'`.
static void keep(void *context, struct gatehouse_text reason) {
    char *kept = context;
    size_t length = reason.count < 300 ? reason.count : 300;
    memcpy(kept, reason.bytes, length);
    kept[length] = 0;
    for (char *place = kept; *place != 0; place++) {
        if (*place == '"') *place = '\'';
    }
}

/// Emits an answer with its reason.
static void tell_answer(gatehouse_instance instance, gatehouse_work work, uint32_t answer, const char *reason) {
    char payload[400];
    snprintf(payload, sizeof payload, "{\"answer\":%u,\"reason\":\"%s\"}", answer, reason);
    tell(instance, work, payload);
}

static void fetch(gatehouse_instance instance, gatehouse_work work, uint32_t port) {
    char reason[304] = "", line[64] = "", payload[80];
    struct gatehouse_receiver receiver = {reason, keep};
    int32_t descriptor = 7;
    const uint32_t answer = host->connect(instance, text("127.0.0.1"), port, 5000000000, &descriptor, receiver);
    if (answer != GATEHOUSE_DONE) {
        tell_answer(instance, work, answer, descriptor == -1 ? reason : "the descriptor is not -1");
        return;
    }
    // A socket that blocks gives a line as soon as it comes.
    const ssize_t count = read(descriptor, line, sizeof line - 1);
    close(descriptor);
    line[count > 0 ? strcspn(line, "\n") : 0] = 0;
    snprintf(payload, sizeof payload, "\"%s\"", line);
    tell(instance, work, payload);
}

static void *fetch_alone(void *context) {
    struct task task = *(struct task *)context;
    free(context);
    fetch(task.instance, task.work, task.port);
    host->end(task.instance, task.work);
    return NULL;
}

static void *serve(void *context) {
    struct task task = *(struct task *)context;
    free(context);
    struct pollfd ends[2] = {{task.listener, POLLIN, 0}, {task.stops, POLLIN, 0}};
    while (poll(ends, 2, -1) > 0 && ends[1].revents == 0) {
        const int client = accept(task.listener, NULL, NULL);
        if (client < 0) continue;
        char greeting[64];
        const int length = snprintf(greeting, sizeof greeting, "welcome to %d\n", (int)getpid());
        if (write(client, greeting, (size_t)length) < 0) tell(task.instance, 0, "\"write failed\"");
        close(client);
    }
    close(task.listener);
    close(task.stops);
    return NULL;
}

static void *create(gatehouse_instance instance, struct gatehouse_text settings) {
    (void)instance, (void)settings;
    return calloc(1, sizeof(struct network));
}

static void destroy(void *self, gatehouse_instance instance) {
    (void)instance;
    free(self);
}

static void stop(void *self, gatehouse_instance instance) {
    struct network *network = self;
    (void)instance;
    if (!network->is_serving) return;
    close(network->stop);
    pthread_join(network->server, NULL);
    network->is_serving = 0;
}

static struct task *task(gatehouse_instance instance, const struct gatehouse_action *action) {
    char digits[16] = "";
    memcpy(digits, action->payload.bytes, action->payload.count < 15 ? action->payload.count : 15);
    struct task *task = calloc(1, sizeof *task);
    *task = (struct task){.instance = instance, .port = (uint32_t)strtoul(digits, NULL, 10)};
    return task;
}

static int is(const struct gatehouse_action *action, const char *type) {
    return action->type.count == strlen(type) && memcmp(action->type.bytes, type, strlen(type)) == 0;
}

static void run_after(void *self, gatehouse_instance instance, const struct gatehouse_action *action) {
    struct network *network = self;
    struct task *wish = task(instance, action);
    if (is(action, "fetch-at-once")) {
        fetch(instance, 0, wish->port);
        free(wish);
    } else if (is(action, "fetch")) {
        pthread_t thread;
        wish->work = host->begin(instance, text(""), GATEHOUSE_FOREGROUND);
        pthread_create(&thread, NULL, fetch_alone, wish);
        pthread_detach(thread);
    } else {
        char reason[304] = "";
        struct gatehouse_receiver receiver = {reason, keep};
        int ends[2];
        const uint32_t answer = host->listen(instance, text("127.0.0.1"), wish->port, &wish->listener, receiver);
        tell_answer(instance, 0, answer, reason);
        if (answer != GATEHOUSE_DONE || pipe(ends) < 0) {
            free(wish);
            return;
        }
        wish->stops = ends[0];
        network->stop = ends[1];
        network->is_serving = pthread_create(&network->server, NULL, serve, wish) == 0;
    }
}

static const struct gatehouse_foreign_plugin_v1 plugin = {
    .size = sizeof plugin,
    .create = create,
    .destroy = destroy,
    .stop = stop,
    .run_after = run_after,
};

const struct gatehouse_foreign_plugin_v1 *GATEHOUSE_ENTRY(const struct gatehouse_foreign_host_v1 *table) {
    host = table;
    return &plugin;
}
