// SPDX-License-Identifier: Apache-2.0
#ifndef GATEHOUSE_FOREIGN_H
#define GATEHOUSE_FOREIGN_H

// Plugins in C, and in every language that can export C functions.
//
// A plugin is one shared library with a manifest (GATEHOUSE_MANIFEST) and one exported function, its entry. It needs only this
// file: copy it. It is C11 and C++17, and its number is the only bond between plugin and host; no compiler, SDK or build
// configuration has to agree.
//
// Rules for every function here:
//
// - Bytes belong to the side that passes them, and are valid during the call. Copy them to keep them; nothing is ever freed for
//   the other side.
// - [in turn] The host calls the functions of one instance one after the other and never two at once, on no particular thread.
//   They should return promptly: actions wait meanwhile. Different instances may be called at the same time.
// - [any thread] The plugin may call the functions of the host from any thread and at any time, also inside a call of the host,
//   also for an instance that is gone: then they do nothing and say so.
// - Nothing may be thrown, jumped or exited through a call. A crash of the plugin crashes the host.
// - Texts are UTF-8 and not zero-terminated. A text of 0 bytes means none, and its address may be NULL.
// - Fields are only ever added at the end of a table, whose `size` tells how many there are.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The number of this contract. The host refuses a plugin made for another number before loading it.
#define GATEHOUSE_FOREIGN_ABI 1

/// The answer of a host's function. Later hosts may have further numbers: anything but DONE means that it was not done.
enum gatehouse_answer {
    /// It was done.
    GATEHOUSE_DONE = 0,
    /// The instance, or the work, is over.
    GATEHOUSE_GONE = 1,
    /// A text is not as required, or a number is unknown; the operator is notified.
    GATEHOUSE_INVALID = 2,
    /// There is nothing there, or the operator does not grant it.
    GATEHOUSE_ABSENT = 3,
    /// Not in this call, or not on this thread; see the function.
    GATEHOUSE_NOT_NOW = 4
};

/// The importance of a line, from the least to the most.
enum gatehouse_level {
    GATEHOUSE_DEBUG = 0,
    GATEHOUSE_INFO = 1,
    GATEHOUSE_WARNING = 2,
    GATEHOUSE_ERROR = 3
};

/// The effect of work on the run of the host.
enum gatehouse_work_kind {
    /// The run does not end before it; a run that is asked to end cancels it.
    GATEHOUSE_FOREGROUND = 0,
    /// The same, but a run that is asked to end gives it time.
    GATEHOUSE_FINISHING = 1,
    /// The run ends without it, as without a timer or a server.
    GATEHOUSE_BACKGROUND = 2
};

/// Whether an intercepted action continues.
enum gatehouse_interception {
    /// It continues, as it came or as changed by `replace`.
    GATEHOUSE_PASS = 0,
    /// It stops here.
    GATEHOUSE_STOP = 1
};

/// The number of one use of a plugin. It is never reused, so that a late call with it does no harm; 0 is none.
typedef uint64_t gatehouse_instance;

/// The number of an instance's work. It is never reused; 0 is none.
typedef uint64_t gatehouse_work;

/// Bytes owned by the side that passes them.
struct gatehouse_text {
    /// The first byte; may be NULL where `count` is 0.
    const char *bytes;
    /// The number of bytes.
    uint64_t count;
};

/// An action under its local name, as in the manifest.
struct gatehouse_action {
    /// The type, such as `greeted`; never empty.
    struct gatehouse_text type;
    /// The payload, as JSON; empty for none.
    struct gatehouse_text payload;
    /// 1 for an action that reports an error, otherwise 0.
    uint32_t is_error;
    /// 0. The host accepts no other number here.
    uint32_t reserved;
};

/// Takes the text that a function returns.
struct gatehouse_receiver {
    /// Passed back to `receive`; otherwise the caller's affair.
    void *context;
    /// Called at most once, during the call with the receiver, on the same thread.
    void (*receive)(void *context, struct gatehouse_text text);
};

/// The host's functions. There is one table for the life of the process: the plugin may keep its address.
struct gatehouse_foreign_host_v1 {
    /// The size of this table in bytes, as the host was compiled. Compare it before calling a function of a later version.
    uint32_t size;
    /// GATEHOUSE_FOREIGN_ABI of the host.
    uint32_t abi;

    /// Tells the operator why the entry or `create` is about to return nothing; the last reason counts.
    ///
    /// `instance` is 0 in the entry. `place` is a JSON Pointer into the settings such as `/greeting`, empty for all of them.
    /// NOT_NOW anywhere else. [in the entry and in `create`]
    uint32_t (*refuse)(gatehouse_instance instance, struct gatehouse_text place, struct gatehouse_text reason);

    /// Puts an action at the end of the queue, under its local name; the host gives it the global one.
    ///
    /// `work` is the work that emits it, or 0: actions of cancelled work are dropped. INVALID when the payload is not JSON, the
    /// type is empty or a number is unknown; NOT_NOW in `create` and `reduce`. DONE means that it was accepted; gate and
    /// permissions may still stop it. If the operator limits the queue and it is full, a thread of the plugin's own sleeps
    /// here: it must not hold a lock that `handle` needs. [any thread]
    uint32_t (*emit)(gatehouse_instance instance, gatehouse_work work, const struct gatehouse_action *action);

    /// Writes one line for the operator; `level` is a gatehouse_level. [any thread]
    uint32_t (*log)(gatehouse_instance instance, uint32_t level, struct gatehouse_text line);

    /// Reports the health of the instance: why it cannot do its work, in one sentence, or an empty text when it can again.
    /// NOT_NOW in `create`. [any thread]
    uint32_t (*health)(gatehouse_instance instance, struct gatehouse_text failure);

    /// Begins work that continues after the call: the run of the host waits for it according to its kind.
    ///
    /// Cancels the same instance's work with the same token first; an empty token names nothing. `kind` is a
    /// gatehouse_work_kind. Returns 0 when the instance is gone, has not been started, or has 10,000 works running. Work that
    /// notifies others should wait until its cause is certain: see `begin_when_kept`. [any thread]
    gatehouse_work (*begin)(gatehouse_instance instance, struct gatehouse_text token, uint32_t kind);

    /// Reports that work is over, after everything it has emitted. [any thread]
    uint32_t (*end)(gatehouse_instance instance, gatehouse_work work);

    /// Cancels the work with a token: drops its later actions, and calls `cancelled`. ABSENT when there is none. [any thread]
    uint32_t (*cancel)(gatehouse_instance instance, struct gatehouse_text token);

    /// Returns 1 while work is running, 0 when it was ended or cancelled. [any thread]
    uint32_t (*is_running)(gatehouse_instance instance, gatehouse_work work);

    /// Gives the instance's own state as JSON, after the last `reduce`. It never waits. ABSENT for a plugin without state.
    /// [any thread]
    uint32_t (*read_state)(gatehouse_instance instance, struct gatehouse_receiver receiver);

    /// Gives the value at a JSON Pointer of the whole host's state, as JSON; an empty pointer is all of it.
    ///
    /// ABSENT when nothing is there or `state` is not granted; INVALID when it is no pointer; NOT_NOW on a thread of the
    /// plugin's own, in `create` and in `reduce`. [in a call of the host]
    uint32_t (*read_host_state)(
        gatehouse_instance instance, struct gatehouse_text pointer, struct gatehouse_receiver receiver);

    /// Gives the instance's id in the configuration. NOT_NOW in `create`. [any thread]
    uint32_t (*read_id)(gatehouse_instance instance, struct gatehouse_receiver receiver);

    /// Gives the path of a folder for this instance alone, which creates it when needed. ABSENT when `data` is not granted;
    /// NOT_NOW in `create`. [any thread]
    uint32_t (*read_data_directory)(gatehouse_instance instance, struct gatehouse_receiver receiver);

    /// Returns nanoseconds since 1970-01-01 00:00 UTC by the host's clock; 0 if `clock` is not granted. [any thread]
    int64_t (*now)(gatehouse_instance instance);

    /// Replaces the action in `intercept` by another one, if that returns PASS; the last one counts.
    ///
    /// The type that was heard is always allowed, any other must be one that the plugin emits. INVALID when the payload is not
    /// JSON; NOT_NOW anywhere else. [in `intercept`]
    uint32_t (*replace)(gatehouse_instance instance, const struct gatehouse_action *action);

    /// Begins work like `begin`, but the host only calls `perform` for it once the cause of the work is kept.
    ///
    /// In a cluster that is after the next checkpoint, in any other host soon after the action in hand. `memo` is data for
    /// `perform`, such as the payload of the action; the host copies it. Work that is still running when its host or its
    /// instance ends begins again: the host calls `handle` and `run_after` with the action once more, drops their immediate
    /// actions, and calls `perform`, with the same key, only for the work that had not ended. Returns 0 where `begin` does, in
    /// a plugin without `perform`, in `create` and `reduce`, and on a thread of the plugin's own.
    ///
    /// Older hosts do not have this function: look with GATEHOUSE_OFFERS. [in a call of the host]
    gatehouse_work (*begin_when_kept)(
        gatehouse_instance instance, struct gatehouse_text token, uint32_t kind, struct gatehouse_text memo);

    /// Announces that the instance's work from here on may take this many nanoseconds, so that the host does not seem to hang.
    /// At most an hour counts. The last number counts, and 0 ends the announcement. NOT_NOW in `create`.
    ///
    /// Older hosts do not have this function: look with GATEHOUSE_OFFERS. [any thread]
    uint32_t (*expect_long)(gatehouse_instance instance, uint64_t nanoseconds);

    /// Reports that an action, under its local name, was not done, and why in one sentence for the operator. The host reports
    /// it, counts it as a failure of the instance, and keeps the action as a dead letter that can be dispatched again; the run
    /// does not end with 0. INVALID as for `emit`; NOT_NOW in `create`.
    ///
    /// Older hosts do not have this function: look with GATEHOUSE_OFFERS. [any thread]
    uint32_t (*fail)(
        gatehouse_instance instance, const struct gatehouse_action *action, struct gatehouse_text reason);

    /// Connects to a TCP server and sets `descriptor` to the connected socket, which blocks; the plugin closes it.
    ///
    /// In a worker the host connects, if the operator grants it; elsewhere this process does. Waits for at most this many
    /// nanoseconds, an hour at most. Otherwise gives the reason in one sentence, for `health` or `fail`, and sets -1: ABSENT
    /// when the connection was not made or is not granted; INVALID when the host is empty or the port is 0 or above 65535.
    /// NOT_NOW in a call of the host, which must not wait for others.
    ///
    /// Older hosts do not have this function: look with GATEHOUSE_OFFERS. [on a thread of the plugin's own]
    uint32_t (*connect)(
        gatehouse_instance instance, struct gatehouse_text host, uint32_t port, uint64_t nanoseconds, int32_t *descriptor,
        struct gatehouse_receiver reason);

    /// Listens at an address such as 127.0.0.1 and sets `descriptor` to a socket that listens and does not block; the plugin
    /// closes it, after its last `accept`, and when the instance stops.
    ///
    /// The socket itself belongs to the run: clients wait while one instance, or one process of a worker, follows another.
    /// It keeps the run open until the instance has stopped. In a worker the operator must grant the address. Otherwise gives
    /// the reason, and sets -1, as `connect` does. NOT_NOW in `create` and `reduce`.
    ///
    /// Older hosts do not have this function: look with GATEHOUSE_OFFERS. [any thread]
    uint32_t (*listen)(
        gatehouse_instance instance, struct gatehouse_text host, uint32_t port, int32_t *descriptor,
        struct gatehouse_receiver reason);
};

/// Whether a host has a function that was added to its table later on: GATEHOUSE_OFFERS(host, begin_when_kept).
#define GATEHOUSE_OFFERS(host, function)                                                                   \
    ((host)->size >= offsetof(struct gatehouse_foreign_host_v1, function) + sizeof((host)->function))

/// The plugin's functions. Owned by the plugin, constant, and valid for the life of the process. A function that is NULL is
/// absent; at least one of `handle`, `run_after`, `reduce` and `intercept` is present. `self` is the result of `create`.
struct gatehouse_foreign_plugin_v1 {
    /// The size of this table in bytes, as the plugin was compiled; anything after it counts as NULL.
    uint32_t size;
    /// The version of the form of the state, from 1; 0 for a plugin without state.
    uint32_t state_version;

    /// Makes the data of one instance from its settings: the operator's JSON object, which fits the manifest's schema.
    ///
    /// Only makes values: a host may call it to look at the plugin and never start the instance. Returns NULL, after calling
    /// `refuse`, when the settings cannot be used. Without this function `self` is NULL. [in turn, once]
    void *(*create)(gatehouse_instance instance, struct gatehouse_text settings);

    /// Frees the result of `create`; the last call for the instance. Threads of the plugin may still run, even right after
    /// `cancelled`: their calls of the host do nothing, and the last of them, not this function, must free the data they still
    /// read. Not called where `create` returned NULL. [in turn, once]
    void (*destroy)(void *self, gatehouse_instance instance);

    /// Called before the first action: opens files and ports, starts threads. [in turn, at most once]
    void (*start)(void *self, gatehouse_instance instance);

    /// Called when the run ends or the host releases the instance, after the last input; may emit. Actions may still come.
    /// [in turn, at most once]
    void (*stop)(void *self, gatehouse_instance instance);

    /// Receives an action before the reducers. Returns 1 to get a call of `run_after` after them, otherwise 0. [in turn]
    uint32_t (*handle)(void *self, gatehouse_instance instance, const struct gatehouse_action *action);

    /// Receives an action after the reducers; without `handle`, every action. [in turn]
    void (*run_after)(void *self, gatehouse_instance instance, const struct gatehouse_action *action);

    /// Gives the state of a fresh instance, as JSON. Required with `reduce`. [in turn, once]
    void (*initial_state)(void *self, gatehouse_instance instance, struct gatehouse_receiver receiver);

    /// Gives the state after an action, as JSON; gives nothing when it is unchanged. Must not emit.
    ///
    /// A state may have been written by hand: it is any JSON. [in turn]
    void (*reduce)(
        void *self, gatehouse_instance instance, const struct gatehouse_action *action, struct gatehouse_text state,
        struct gatehouse_receiver receiver);

    /// Converts a state of an older library to the current form; gives nothing when that is impossible. Called with each
    /// version below `state_version`; belongs to no instance. [any thread]
    void (*migrate)(uint32_t version, struct gatehouse_text state, struct gatehouse_receiver receiver);

    /// Called when the gate has opened (1) or closed (0). [in turn]
    void (*gate_changed)(void *self, gatehouse_instance instance, uint32_t is_open);

    /// Called when work was cancelled, after `is_running` has become 0; not when `destroy` comes first. [in turn]
    void (*cancelled)(void *self, gatehouse_instance instance, gatehouse_work work);

    /// Decides about an action ahead of all middlewares: a gatehouse_interception. With this function, the manifest must list
    /// the permission `intercept`. [in turn]
    uint32_t (*intercept)(void *self, gatehouse_instance instance, const struct gatehouse_action *action);

    /// NULL.
    const void *reserved;

    /// Performs work begun by `begin_when_kept`; not called for work cancelled before. Ends it by `end`, then or later.
    ///
    /// `key` names this effect of the action, and is the same when that is dispatched again after a crash: pass it to services
    /// that do a thing once for each key. It is empty without an action. `memo` comes from `begin_when_kept`. [in turn]
    void (*perform)(
        void *self, gatehouse_instance instance, gatehouse_work work, struct gatehouse_text key,
        struct gatehouse_text memo);
};

/// The name of the entry. Define it before including this file in a program that links several plugins.
#ifndef GATEHOUSE_ENTRY
#define GATEHOUSE_ENTRY gatehouse_foreign_v1
#endif

/// The entry: returns the plugin's table, or NULL after calling `refuse` with the instance 0. Called once for each loaded
/// image; may call no other function of the host. [the thread that loads]
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct gatehouse_foreign_plugin_v1 *
GATEHOUSE_ENTRY(const struct gatehouse_foreign_host_v1 *host);

#ifdef __cplusplus
}
#endif

/// Puts the manifest into the library. It is JSON as in a file, without quotes around it:
///
///     GATEHOUSE_MANIFEST({ "id": "hello", "version": "1.0.0", "summary": "Says hello", "consumes": ["hello"] });
///
/// Once in a plugin, outside of functions. In languages without this macro: an ELF note of type 1 by `gatehouse` in the section
/// `.note.gatehouse`, whose content is the text of GATEHOUSE_NOTE, in at most 32768 bytes.
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

/// The text of the note; the rest of its content is filled with zeros.
#define GATEHOUSE_NOTE(entry, manifest)                                                                    \
    "{\"format\":1,\"foreign\":1,\"entry\":\"" GATEHOUSE_QUOTED(entry) "\",\"manifest\":" manifest "}"
#define GATEHOUSE_QUOTED(name) GATEHOUSE_QUOTED_ONCE(name)
#define GATEHOUSE_QUOTED_ONCE(name) #name

// The layout is the contract: a compiler that lays these out differently cannot make plugins.
#ifdef __cplusplus
#define GATEHOUSE_ASSERT(condition) static_assert(condition, #condition)
#else
#define GATEHOUSE_ASSERT(condition) _Static_assert(condition, #condition)
#endif
GATEHOUSE_ASSERT(sizeof(void *) == 8);
GATEHOUSE_ASSERT(sizeof(struct gatehouse_text) == 16);
GATEHOUSE_ASSERT(sizeof(struct gatehouse_action) == 40);
GATEHOUSE_ASSERT(sizeof(struct gatehouse_receiver) == 16);
GATEHOUSE_ASSERT(sizeof(struct gatehouse_foreign_host_v1) == 160);
GATEHOUSE_ASSERT(offsetof(struct gatehouse_foreign_host_v1, begin_when_kept) == 120);
GATEHOUSE_ASSERT(offsetof(struct gatehouse_foreign_host_v1, expect_long) == 128);
GATEHOUSE_ASSERT(offsetof(struct gatehouse_foreign_host_v1, fail) == 136);
GATEHOUSE_ASSERT(offsetof(struct gatehouse_foreign_host_v1, connect) == 144);
GATEHOUSE_ASSERT(offsetof(struct gatehouse_foreign_host_v1, listen) == 152);
GATEHOUSE_ASSERT(sizeof(struct gatehouse_foreign_plugin_v1) == 120);
GATEHOUSE_ASSERT(offsetof(struct gatehouse_foreign_plugin_v1, perform) == 112);
#undef GATEHOUSE_ASSERT

#endif
