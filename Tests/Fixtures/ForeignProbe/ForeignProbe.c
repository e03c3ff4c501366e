// SPDX-License-Identifier: Apache-2.0

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gatehouse_foreign.h"

#ifdef FOREIGN_PROBE_TWO
GATEHOUSE_MANIFEST({
    "id": "foreign-probe", "version": "2.0.0", "summary": "Does what it is asked, with another form of its state",
    "consumes": ["count"], "emits": ["told"], "permissions": ["intercept"]
});
#else
GATEHOUSE_MANIFEST({
    "id": "foreign-probe", "version": "1.0.0", "summary": "Does what it is asked",
    "consumes": [
        "echo", "count", "read-before", "read-host", "read-self", "thread", "linger", "cancel",
        "no-json", "no-type", "not-declared", "bad-numbers", "sicken", "recover", "fail", "spoil",
        "emit-in-reduce", "stop-me", "change-me", "unanswered", "keep", "keep-running", "keep-cancelled", "keep-elsewhere"
    ],
    "emits": ["told"], "permissions": ["intercept"],
    "settings": { "type": "object", "properties": { "refuse": { "type": "string" }, "silent": { "type": "boolean" } } }
});
#endif

static const struct gatehouse_foreign_host_v1 *host;

/// What one instance has.
struct probe {
    gatehouse_instance instance;
    pthread_mutex_t lock;
    pthread_cond_t change;
    /// The work that is waited for until it is cancelled, and whether that was told.
    gatehouse_work lingering;
    /// Atomic beside the lock, because the thread sanitizer does not see that a condition was waited for.
    _Atomic int is_cancelled;
    /// The instance, and the threads: those of cancelled work go on when the instance is gone, and the last one frees this.
    _Atomic int users;
};

static struct gatehouse_text text(const char *characters) {
    return (struct gatehouse_text){characters, strlen(characters)};
}

static int is(const struct gatehouse_action *action, const char *type) {
    return action->type.count == strlen(type) && memcmp(action->type.bytes, type, strlen(type)) == 0;
}

/// Emits `told` with a payload.
static uint32_t tell(gatehouse_instance instance, gatehouse_work work, const char *payload) {
    struct gatehouse_action told = {.type = text("told"), .payload = text(payload)};
    return host->emit(instance, work, &told);
}

/// Tells what the host has answered to a question.
static void tell_answer(gatehouse_instance instance, const char *question, uint32_t answer) {
    char payload[128];
    snprintf(payload, sizeof payload, "{\"%s\":%u}", question, (unsigned)answer);
    tell(instance, 0, payload);
}

/// Emits `told` with the text that it is given, as JSON.
static void tell_received(void *context, struct gatehouse_text received) {
    struct gatehouse_action told = {.type = text("told"), .payload = received};
    host->emit(*(gatehouse_instance *)context, 0, &told);
}

/// Emits `told` with the text that it is given, as a string.
static void tell_string(void *context, struct gatehouse_text received) {
    char payload[512];
    snprintf(payload, sizeof payload, "\"%.*s\"", (int)received.count, received.bytes);
    tell(*(gatehouse_instance *)context, 0, payload);
}

// MARK: - Threads

/// What a thread is to do.
struct task {
    void *(*body)(void *);
    struct probe *probe;
    /// The work, and another that keeps the run open after it.
    gatehouse_work work, after;
};

static void release(struct probe *probe) {
    if (--probe->users > 0) return;
    pthread_cond_destroy(&probe->change);
    pthread_mutex_destroy(&probe->lock);
    free(probe);
}

static void *run_task(void *context) {
    struct task *task = context;
    struct probe *probe = task->probe;
    task->body(task);
    release(probe);
    return NULL;
}

static void begin(void *(*body)(void *), struct probe *probe, gatehouse_work work) {
    struct task *task = malloc(sizeof *task);
    pthread_t thread;
    if (!task) return;
    *task = (struct task){body, probe, work, host->begin(probe->instance, text(""), GATEHOUSE_FOREGROUND)};
    probe->users++;
    if (pthread_create(&thread, NULL, run_task, task) == 0) {
        pthread_detach(thread);
    } else {
        free(task);
        release(probe);
    }
}

/// Emits from a thread, and tells what may be read there.
static void *emit_from_thread(void *context) {
    struct task task = *(struct task *)context;
    gatehouse_instance instance = task.probe->instance;
    struct gatehouse_receiver receiver = {&instance, tell_received};
    free(context);
    tell(instance, task.work, "\"from a thread\"");
    host->read_state(instance, receiver);
    tell_answer(instance, "host state on a thread", host->read_host_state(instance, text(""), receiver));
    host->end(instance, task.work);
    tell_answer(instance, "end twice", host->end(instance, task.work));
    host->end(instance, task.after);
    return NULL;
}

/// Tells what it is given for work that would have to wait, which is nothing on a thread.
static void *keep_on_thread(void *context) {
    struct task task = *(struct task *)context;
    gatehouse_instance instance = task.probe->instance;
    free(context);
    gatehouse_work none = host->begin_when_kept(instance, text(""), GATEHOUSE_FOREGROUND, text("?"));
    tell_answer(instance, "kept on a thread", (uint32_t)none);
    host->end(instance, task.work);
    host->end(instance, task.after);
    return NULL;
}

/// Waits until its work is cancelled, and emits on its behalf once more.
static void *linger(void *context) {
    struct task task = *(struct task *)context;
    free(context);
    pthread_mutex_lock(&task.probe->lock);
    while (!task.probe->is_cancelled) pthread_cond_wait(&task.probe->change, &task.probe->lock);
    pthread_mutex_unlock(&task.probe->lock);
    tell_answer(task.probe->instance, "is running", host->is_running(task.probe->instance, task.work));
    tell_answer(task.probe->instance, "emit for cancelled work", tell(task.probe->instance, task.work, "\"dropped\""));
    host->end(task.probe->instance, task.after);
    return NULL;
}

// MARK: - The functions of the plugin

static void *create(gatehouse_instance instance, struct gatehouse_text settings) {
    char copy[256];
    snprintf(copy, sizeof copy, "%.*s", (int)settings.count, settings.bytes);
    host->log(instance, GATEHOUSE_INFO, text("is being made"));
    if (strstr(copy, "\"silent\"")) return NULL;
    if (strstr(copy, "\"refuse\"")) {
        host->refuse(instance, text("/refuse"), text("nothing pleases it"));
        return NULL;
    }
    if (tell(instance, 0, "1") != GATEHOUSE_NOT_NOW) return NULL;
    struct probe *probe = calloc(1, sizeof *probe);
    if (!probe) return NULL;
    probe->instance = instance;
    probe->users = 1;
    pthread_mutex_init(&probe->lock, NULL);
    pthread_cond_init(&probe->change, NULL);
    return probe;
}

static void start(void *self, gatehouse_instance instance) {
    (void)self;
    tell(instance, 0, "\"started\"");
}

static void stop(void *self, gatehouse_instance instance) {
    (void)self;
    tell(instance, 0, "\"stopped\"");
}

static void destroy(void *self, gatehouse_instance instance) {
    struct probe *probe = self;
    // Too late for anything, and harmless.
    if (tell(instance, 0, "\"late\"") != GATEHOUSE_GONE) abort();
    if (host->begin(instance, text(""), GATEHOUSE_FOREGROUND) != 0) abort();
    release(probe);
}

static uint32_t handle(void *self, gatehouse_instance instance, const struct gatehouse_action *action) {
    struct gatehouse_receiver receiver = {&instance, tell_received};
    (void)self;
    if (is(action, "read-before")) host->read_state(instance, receiver);
    if (is(action, "keep")) host->begin_when_kept(instance, text(""), GATEHOUSE_FOREGROUND, action->payload);
    if (is(action, "keep-running")) host->begin_when_kept(instance, text("running"), GATEHOUSE_FINISHING, text("run"));
    return !is(action, "unanswered");
}

static void run_after(void *self, gatehouse_instance instance, const struct gatehouse_action *action) {
    struct probe *probe = self;
    struct gatehouse_receiver receiver = {&instance, tell_received};
    if (is(action, "echo")) {
        struct gatehouse_action told = {.type = text("told"), .payload = action->payload, .is_error = action->is_error};
        host->emit(instance, 0, &told);
    } else if (is(action, "read-before")) {
        host->read_state(instance, receiver);
    } else if (is(action, "read-host")) {
        host->read_host_state(instance, text("/plain"), receiver);
        tell_answer(instance, "nothing there", host->read_host_state(instance, text("/none"), receiver));
        tell_answer(instance, "no pointer", host->read_host_state(instance, text("none"), receiver));
    } else if (is(action, "read-self")) {
        struct gatehouse_receiver strings = {&instance, tell_string};
        host->read_id(instance, strings);
        tell_answer(instance, "data", host->read_data_directory(instance, strings));
        tell_answer(instance, "has a time", host->now(instance) > 0);
    } else if (is(action, "thread")) {
        begin(emit_from_thread, probe, host->begin(instance, text("thread"), GATEHOUSE_FOREGROUND));
    } else if (is(action, "keep-elsewhere")) {
        begin(keep_on_thread, probe, host->begin(instance, text(""), GATEHOUSE_FOREGROUND));
        tell_answer(instance, "kept as", (uint32_t)host->begin_when_kept(instance, text(""), 9, text("?")));
    } else if (is(action, "keep-cancelled")) {
        gatehouse_work work = host->begin_when_kept(instance, text("keep"), GATEHOUSE_FOREGROUND, text("never"));
        tell_answer(instance, "runs", host->is_running(instance, work));
        tell_answer(instance, "cancel", host->cancel(instance, text("keep")));
    } else if (is(action, "linger")) {
        probe->lingering = host->begin(instance, text("linger"), GATEHOUSE_FOREGROUND);
        begin(linger, probe, probe->lingering);
    } else if (is(action, "cancel")) {
        tell_answer(instance, "cancel", host->cancel(instance, text("linger")));
    } else if (is(action, "no-json")) {
        tell_answer(instance, "no JSON", tell(instance, 0, "{\"a\":}"));
    } else if (is(action, "no-type")) {
        struct gatehouse_action nothing = {.payload = text("1")};
        tell_answer(instance, "no type", host->emit(instance, 0, &nothing));
    } else if (is(action, "not-declared")) {
        struct gatehouse_action other = {.type = text("other")};
        host->emit(instance, 0, &other);
    } else if (is(action, "bad-numbers")) {
        struct gatehouse_text endless = {NULL, UINT64_MAX};
        struct gatehouse_action later = {.type = text("told"), .reserved = 1};
        tell_answer(instance, "level", host->log(instance, 9, text("?")));
        tell_answer(instance, "text", host->log(instance, GATEHOUSE_INFO, endless));
        tell_answer(instance, "kind", (uint32_t)host->begin(instance, text(""), 9));
        tell_answer(instance, "instance", tell(instance + 1000, 0, "1"));
        tell_answer(instance, "action", host->emit(instance, 0, NULL));
        tell_answer(instance, "work", tell(instance, 1000, "1"));
        tell_answer(instance, "reserved", host->emit(instance, 0, &later));
        tell_answer(instance, "refuse", host->refuse(instance, text(""), text("?")));
        tell_answer(instance, "replace", host->replace(instance, action));
    } else if (is(action, "fail")) {
        struct gatehouse_action nothing = {.payload = text("1")};
        tell_answer(instance, "fail", host->fail(instance, action, text("there is no room")));
        tell_answer(instance, "no type", host->fail(instance, &nothing, text("?")));
    } else if (is(action, "sicken")) {
        host->health(instance, text("nothing works"));
    } else if (is(action, "recover")) {
        host->health(instance, text(""));
    }
}

static void initial_state(void *self, gatehouse_instance instance, struct gatehouse_receiver receiver) {
    (void)self, (void)instance;
#ifdef FOREIGN_PROBE_TWO
    receiver.receive(receiver.context, text("{\"sum\":0}"));
#else
    receiver.receive(receiver.context, text("{\"count\":0}"));
#endif
}

static void reduce(
    void *self, gatehouse_instance instance, const struct gatehouse_action *action, struct gatehouse_text state,
    struct gatehouse_receiver receiver) {
    char copy[128], changed[128];
    int count = 0;
    (void)self;
    if (is(action, "spoil")) {
        receiver.receive(receiver.context, text("{\"count\":"));
    } else if (is(action, "emit-in-reduce")) {
        if (tell(instance, 0, "1") == GATEHOUSE_NOT_NOW) receiver.receive(receiver.context, text("{\"count\":-1}"));
    } else if (is(action, "count") || is(action, "read-before") || is(action, "keep")) {
        // A state must not depend on whether work could be begun, so that none can.
        if (host->begin_when_kept(instance, text(""), GATEHOUSE_FOREGROUND, text("?"))) abort();
        snprintf(copy, sizeof copy, "%.*s", (int)state.count, state.bytes);
#ifdef FOREIGN_PROBE_TWO
        sscanf(copy, "{\"sum\":%d}", &count);
        snprintf(changed, sizeof changed, "{\"sum\":%d}", count + 1);
#else
        sscanf(copy, "{\"count\":%d}", &count);
        snprintf(changed, sizeof changed, "{\"count\":%d}", count + 1);
#endif
        receiver.receive(receiver.context, text(changed));
    }
}

#ifdef FOREIGN_PROBE_TWO
static void migrate(uint32_t version, struct gatehouse_text state, struct gatehouse_receiver receiver) {
    char copy[128], changed[128];
    int count = 0;
    snprintf(copy, sizeof copy, "%.*s", (int)state.count, state.bytes);
    if (version != 1 || sscanf(copy, "{\"count\":%d}", &count) != 1) return;
    snprintf(changed, sizeof changed, "{\"sum\":%d}", count);
    receiver.receive(receiver.context, text(changed));
}
#endif

/// Tells what the work is given, and what the state is by then. Work with the memo `run` goes on for ever.
static void perform(
    void *self, gatehouse_instance instance, gatehouse_work work, struct gatehouse_text key, struct gatehouse_text memo) {
    struct gatehouse_receiver receiver = {&instance, tell_received};
    char payload[512];
    (void)self;
    if (memo.count == 3 && memcmp(memo.bytes, "run", 3) == 0) {
        snprintf(payload, sizeof payload, "runs as %.*s", (int)key.count, key.bytes);
        host->log(instance, GATEHOUSE_INFO, text(payload));
        return;
    }
    snprintf(payload, sizeof payload, "{\"memo\":%.*s,\"has a key\":%d}", (int)memo.count, memo.bytes, key.count > 0);
    tell(instance, work, payload);
    host->read_state(instance, receiver);
    host->end(instance, work);
}

static void gate_changed(void *self, gatehouse_instance instance, uint32_t is_open) {
    (void)self;
    host->log(instance, GATEHOUSE_INFO, text(is_open ? "its gate is open" : "its gate is closed"));
}

static void cancelled(void *self, gatehouse_instance instance, gatehouse_work work) {
    struct probe *probe = self;
    (void)instance;
    pthread_mutex_lock(&probe->lock);
    if (work == probe->lingering) probe->is_cancelled = 1;
    pthread_cond_broadcast(&probe->change);
    pthread_mutex_unlock(&probe->lock);
}

static uint32_t intercept(void *self, gatehouse_instance instance, const struct gatehouse_action *action) {
    (void)self;
    if (is(action, "stop-me")) return GATEHOUSE_STOP;
    if (is(action, "change-me")) {
        struct gatehouse_action changed = {.type = text("told"), .payload = text("\"changed\"")};
        host->replace(instance, &changed);
    }
    return GATEHOUSE_PASS;
}

static const struct gatehouse_foreign_plugin_v1 plugin = {
    .size = sizeof plugin,
    .create = create,
    .destroy = destroy,
    .start = start,
    .stop = stop,
    .handle = handle,
    .run_after = run_after,
    .initial_state = initial_state,
    .reduce = reduce,
#ifdef FOREIGN_PROBE_TWO
    .state_version = 2,
    .migrate = migrate,
#else
    .state_version = 1,
#endif
    .gate_changed = gate_changed,
    .cancelled = cancelled,
    .intercept = intercept,
    .perform = perform,
};

const struct gatehouse_foreign_plugin_v1 *GATEHOUSE_ENTRY(const struct gatehouse_foreign_host_v1 *table) {
    host = table;
    return &plugin;
}
