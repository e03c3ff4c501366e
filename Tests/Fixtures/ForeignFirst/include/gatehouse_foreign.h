// SPDX-License-Identifier: Apache-2.0
#ifndef GATEHOUSE_FOREIGN_H
#define GATEHOUSE_FOREIGN_H

// The header as it was first given out, without its comments: it never changes, as plugins that were built with it do not.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GATEHOUSE_FOREIGN_ABI 1

enum gatehouse_answer {
    GATEHOUSE_DONE = 0,
    GATEHOUSE_GONE = 1,
    GATEHOUSE_INVALID = 2,
    GATEHOUSE_ABSENT = 3,
    GATEHOUSE_NOT_NOW = 4
};

enum gatehouse_level {
    GATEHOUSE_DEBUG = 0,
    GATEHOUSE_INFO = 1,
    GATEHOUSE_WARNING = 2,
    GATEHOUSE_ERROR = 3
};

enum gatehouse_work_kind {
    GATEHOUSE_FOREGROUND = 0,
    GATEHOUSE_FINISHING = 1,
    GATEHOUSE_BACKGROUND = 2
};

enum gatehouse_interception {
    GATEHOUSE_PASS = 0,
    GATEHOUSE_STOP = 1
};

typedef uint64_t gatehouse_instance;

typedef uint64_t gatehouse_work;

struct gatehouse_text {
    const char *bytes;
    uint64_t count;
};

struct gatehouse_action {
    struct gatehouse_text type;
    struct gatehouse_text payload;
    uint32_t is_error;
    uint32_t reserved;
};

struct gatehouse_receiver {
    void *context;
    void (*receive)(void *context, struct gatehouse_text text);
};

struct gatehouse_foreign_host_v1 {
    uint32_t size;
    uint32_t abi;

    uint32_t (*refuse)(gatehouse_instance instance, struct gatehouse_text place, struct gatehouse_text reason);

    uint32_t (*emit)(gatehouse_instance instance, gatehouse_work work, const struct gatehouse_action *action);

    uint32_t (*log)(gatehouse_instance instance, uint32_t level, struct gatehouse_text line);

    uint32_t (*health)(gatehouse_instance instance, struct gatehouse_text failure);

    gatehouse_work (*begin)(gatehouse_instance instance, struct gatehouse_text token, uint32_t kind);

    uint32_t (*end)(gatehouse_instance instance, gatehouse_work work);

    uint32_t (*cancel)(gatehouse_instance instance, struct gatehouse_text token);

    uint32_t (*is_running)(gatehouse_instance instance, gatehouse_work work);

    uint32_t (*read_state)(gatehouse_instance instance, struct gatehouse_receiver receiver);

    uint32_t (*read_host_state)(
        gatehouse_instance instance, struct gatehouse_text pointer, struct gatehouse_receiver receiver);

    uint32_t (*read_id)(gatehouse_instance instance, struct gatehouse_receiver receiver);

    uint32_t (*read_data_directory)(gatehouse_instance instance, struct gatehouse_receiver receiver);

    int64_t (*now)(gatehouse_instance instance);

    uint32_t (*replace)(gatehouse_instance instance, const struct gatehouse_action *action);
};

struct gatehouse_foreign_plugin_v1 {
    uint32_t size;
    uint32_t state_version;

    void *(*create)(gatehouse_instance instance, struct gatehouse_text settings);

    void (*destroy)(void *self, gatehouse_instance instance);

    void (*start)(void *self, gatehouse_instance instance);

    void (*stop)(void *self, gatehouse_instance instance);

    uint32_t (*handle)(void *self, gatehouse_instance instance, const struct gatehouse_action *action);

    void (*run_after)(void *self, gatehouse_instance instance, const struct gatehouse_action *action);

    void (*initial_state)(void *self, gatehouse_instance instance, struct gatehouse_receiver receiver);

    void (*reduce)(
        void *self, gatehouse_instance instance, const struct gatehouse_action *action, struct gatehouse_text state,
        struct gatehouse_receiver receiver);

    void (*migrate)(uint32_t version, struct gatehouse_text state, struct gatehouse_receiver receiver);

    void (*gate_changed)(void *self, gatehouse_instance instance, uint32_t is_open);

    void (*cancelled)(void *self, gatehouse_instance instance, gatehouse_work work);

    uint32_t (*intercept)(void *self, gatehouse_instance instance, const struct gatehouse_action *action);

    const void *reserved;
};

#ifndef GATEHOUSE_ENTRY
#define GATEHOUSE_ENTRY gatehouse_foreign_v1
#endif

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct gatehouse_foreign_plugin_v1 *
GATEHOUSE_ENTRY(const struct gatehouse_foreign_host_v1 *host);

#ifdef __cplusplus
}
#endif

#define GATEHOUSE_MANIFEST(...)                                                                            \
    __attribute__((section(".note.gatehouse"), used, aligned(4))) static const struct {                    \
        uint32_t name_size;                                                                                \
        uint32_t content_size;                                                                             \
        uint32_t type;                                                                                     \
        char name[12];                                                                                     \
        char content[(sizeof(GATEHOUSE_NOTE(GATEHOUSE_ENTRY, #__VA_ARGS__)) + 7) / 8 * 8];                 \
    } gatehouse_note = {                                                                                   \
        10, (sizeof(GATEHOUSE_NOTE(GATEHOUSE_ENTRY, #__VA_ARGS__)) + 7) / 8 * 8, 1, "gatehouse",           \
        GATEHOUSE_NOTE(GATEHOUSE_ENTRY, #__VA_ARGS__)}

#define GATEHOUSE_NOTE(entry, manifest)                                                                    \
    "{\"format\":1,\"foreign\":1,\"entry\":\"" GATEHOUSE_QUOTED(entry) "\",\"manifest\":" manifest "}"
#define GATEHOUSE_QUOTED(name) GATEHOUSE_QUOTED_ONCE(name)
#define GATEHOUSE_QUOTED_ONCE(name) #name

#ifdef __cplusplus
#define GATEHOUSE_ASSERT(condition) static_assert(condition, #condition)
#else
#define GATEHOUSE_ASSERT(condition) _Static_assert(condition, #condition)
#endif
GATEHOUSE_ASSERT(sizeof(void *) == 8);
GATEHOUSE_ASSERT(sizeof(struct gatehouse_text) == 16);
GATEHOUSE_ASSERT(sizeof(struct gatehouse_action) == 40);
GATEHOUSE_ASSERT(sizeof(struct gatehouse_receiver) == 16);
GATEHOUSE_ASSERT(sizeof(struct gatehouse_foreign_host_v1) == 120);
GATEHOUSE_ASSERT(offsetof(struct gatehouse_foreign_host_v1, replace) == 112);
GATEHOUSE_ASSERT(sizeof(struct gatehouse_foreign_plugin_v1) == 112);
GATEHOUSE_ASSERT(offsetof(struct gatehouse_foreign_plugin_v1, reserved) == 104);
#undef GATEHOUSE_ASSERT

#endif
