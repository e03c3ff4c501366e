// SPDX-License-Identifier: Apache-2.0
#ifndef GATEHOUSE_FOREIGN_H
#define GATEHOUSE_FOREIGN_H

// Plugins in C, and in every language that can offer C functions.
//
// A plugin is one shared library with a manifest (GATEHOUSE_MANIFEST) and one exported function, its entry. This file is all
// that it needs: copy it. It is C11 and C++17, and its number is the only bond between plugin and host; no compiler, SDK or
// build configuration has to agree.
//
// What holds for every function here:
//
// - Bytes belong to whoever passes them, and are valid during the call. Who wants to keep them copies them, so nothing is
//   ever freed for the other side.
// - [in turn] The host calls the functions of one instance one after the other and never two at once, on no particular
//   thread. They should return promptly: actions wait meanwhile. Different instances may be called at the same time.
// - [any thread] The plugin may call the functions of the host from any thread and at any time, also inside a call of the
//   host, also for an instance that is gone: then they do nothing and say so.
// - Nothing may be thrown, jumped or exited through a call. What crashes the plugin crashes the host.
// - Texts are UTF-8 and not zero-terminated. A text of 0 bytes says that there is none, and its address may be NULL.
// - Fields are only ever added at the end of a table, whose `size` tells how many there are.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The number of this contract. A plugin made for another number is refused before it is loaded.
#define GATEHOUSE_FOREIGN_ABI 1

/// What a function of the host answers. Later hosts may have further numbers: anything but DONE says that it was not done.
enum gatehouse_answer {
    /// It was done.
    GATEHOUSE_DONE = 0,
    /// The instance, or the work, is over.
    GATEHOUSE_GONE = 1,
    /// A text is not what it should be, or a number is none that is known; the operator is told.
    GATEHOUSE_INVALID = 2,
    /// There is nothing there, or the operator does not grant it.
    GATEHOUSE_ABSENT = 3,
    /// Not in this call, or not on this thread; see the function.
    GATEHOUSE_NOT_NOW = 4
};

/// How much a line matters, from the least to the most.
enum gatehouse_level {
    GATEHOUSE_DEBUG = 0,
    GATEHOUSE_INFO = 1,
    GATEHOUSE_WARNING = 2,
    GATEHOUSE_ERROR = 3
};

/// What work means to the run of the host.
enum gatehouse_work_kind {
    /// The run does not end before it; a run that is asked to end cancels it.
    GATEHOUSE_FOREGROUND = 0,
    /// The same, and a run that is asked to end gives it time.
    GATEHOUSE_FINISHING = 1,
    /// The run ends without it, as without a timer or a server.
    GATEHOUSE_BACKGROUND = 2
};

/// Whether an intercepted action goes on.
enum gatehouse_interception {
    /// It goes on, as it came or as `replace` has made it.
    GATEHOUSE_PASS = 0,
    /// It stops here.
    GATEHOUSE_STOP = 1
};

/// The number of one use of a plugin. It is never given again, so that a late call with it does no harm; 0 is none.
typedef uint64_t gatehouse_instance;

/// The number of work that an instance has begun. It is never given again; 0 is none.
typedef uint64_t gatehouse_work;

/// Bytes of somebody else.
struct gatehouse_text {
    /// The first byte; may be NULL where `count` is 0.
    const char *bytes;
    /// How many there are.
    uint64_t count;
};

/// An action under its local name, which is what the manifest calls it.
struct gatehouse_action {
    /// What happened, such as `greeted`; never empty.
    struct gatehouse_text type;
    /// What belongs to it, as JSON; empty for nothing.
    struct gatehouse_text payload;
    /// 1 for an action that tells of an error, otherwise 0.
    uint32_t is_error;
    /// 0. The host takes no action with another number here.
    uint32_t reserved;
};

/// Takes a text that a function has to give.
struct gatehouse_receiver {
    /// Handed back to `receive`; otherwise the caller's affair.
    void *context;
    /// Called at most once, during the call that the receiver was passed to, on the same thread.
    void (*receive)(void *context, struct gatehouse_text text);
};

/// What the host offers. There is one for the life of the process: the plugin may keep its address.
struct gatehouse_foreign_host_v1 {
    /// The size of this table in bytes, as the host was compiled. Compare it before calling what a later version has added.
    uint32_t size;
    /// GATEHOUSE_FOREIGN_ABI of the host.
    uint32_t abi;

    /// Says why the entry or `create` is about to return nothing, in words for the operator; the last reason counts.
    ///
    /// `instance` is 0 in the entry. `place` is a JSON Pointer into the settings such as `/greeting`, empty for all of them.
    /// NOT_NOW anywhere else. [in the entry and in `create`]
    uint32_t (*refuse)(gatehouse_instance instance, struct gatehouse_text place, struct gatehouse_text reason);

    /// Puts an action at the end of the queue, under its local name; the host gives it the global one.
    ///
    /// `work` is the work on whose behalf it is emitted, or 0: what cancelled work emits is dropped. INVALID when the payload
    /// is not JSON, the type is empty or a number is none that is known; NOT_NOW in `create` and `reduce`. DONE says that it was taken; gate and permissions may still stop it.
    /// Where the operator limits what waits and the queue is full, a thread of the plugin's own sleeps here: it must not hold a
    /// lock that `handle` needs. [any thread]
    uint32_t (*emit)(gatehouse_instance instance, gatehouse_work work, const struct gatehouse_action *action);

    /// Writes one line for the operator; `level` is a gatehouse_level. [any thread]
    uint32_t (*log)(gatehouse_instance instance, uint32_t level, struct gatehouse_text line);

    /// Says how the instance is: why it cannot do what it is for, in one sentence, or an empty text when it can again.
    /// NOT_NOW in `create`. [any thread]
    uint32_t (*health)(gatehouse_instance instance, struct gatehouse_text failure);

    /// Begins work that goes on when the call has returned: the run of the host waits for it as its kind says.
    ///
    /// Work of the same instance with the same token is cancelled first; an empty token names nothing. `kind` is a
    /// gatehouse_work_kind. Returns 0 when the instance is gone, has not been started, or has 10,000 works running. Work by which
    /// others are to be told something waits until that is certain: see `begin_when_kept`. [any thread]
    gatehouse_work (*begin)(gatehouse_instance instance, struct gatehouse_text token, uint32_t kind);

    /// Says that work is over, after everything it has emitted. [any thread]
    uint32_t (*end)(gatehouse_instance instance, gatehouse_work work);

    /// Cancels the work with a token: what it emits from here on is dropped, and `cancelled` is called. ABSENT when there is
    /// none. [any thread]
    uint32_t (*cancel)(gatehouse_instance instance, struct gatehouse_text token);

    /// Whether work goes on: 1, or 0 when it was ended or cancelled. [any thread]
    uint32_t (*is_running)(gatehouse_instance instance, gatehouse_work work);

    /// Gives the instance's own state as JSON, as the last `reduce` has left it. It never waits. ABSENT for a plugin without
    /// state. [any thread]
    uint32_t (*read_state)(gatehouse_instance instance, struct gatehouse_receiver receiver);

    /// Gives what is at a JSON Pointer of the whole host's state, as JSON; an empty pointer is all of it.
    ///
    /// ABSENT when nothing is there or `state` is not granted; INVALID when it is no pointer; NOT_NOW on a thread of the
    /// plugin's own, in `create` and in `reduce`. [in a call of the host]
    uint32_t (*read_host_state)(
        gatehouse_instance instance, struct gatehouse_text pointer, struct gatehouse_receiver receiver);

    /// Gives the instance's id in the configuration. NOT_NOW in `create`. [any thread]
    uint32_t (*read_id)(gatehouse_instance instance, struct gatehouse_receiver receiver);

    /// Gives the path of a folder for this instance alone, which it makes when it needs it. ABSENT when `data` is not
    /// granted; NOT_NOW in `create`. [any thread]
    uint32_t (*read_data_directory)(gatehouse_instance instance, struct gatehouse_receiver receiver);

    /// Nanoseconds since 1970-01-01 00:00 UTC by the host's clock; 0 when `clock` is not granted. [any thread]
    int64_t (*now)(gatehouse_instance instance);

    /// Lets the action that `intercept` was called for go on as another one, when that returns PASS; the last one counts.
    ///
    /// The type that was heard is always allowed, any other must be one that the plugin emits. INVALID when the payload is not
    /// JSON; NOT_NOW anywhere else. [in `intercept`]
    uint32_t (*replace)(gatehouse_instance instance, const struct gatehouse_action *action);

    /// Begins work as `begin` does, and has it done when that which leads to it is kept: the host calls `perform` then.
    ///
    /// In a cluster that is after the next checkpoint, in any other host soon after the action in hand. `memo` is what `perform`
    /// needs, such as the payload of the action; the host copies it. Work that goes on when its host or its instance
    /// ends begins again: `handle` and `run_after` are called with the action once more, what they emit on the spot is dropped, and
    /// `perform` is called for that work alone which had not ended, with the same key. Returns 0 where `begin` does, in a plugin without
    /// `perform`, in `create` and `reduce`, and on a thread of the plugin's own.
    ///
    /// Older hosts do not have this function: look with GATEHOUSE_OFFERS. [in a call of the host]
    gatehouse_work (*begin_when_kept)(
        gatehouse_instance instance, struct gatehouse_text token, uint32_t kind, struct gatehouse_text memo);

    /// Announces that what the instance does from here on may take so many nanoseconds before it comes back, so that nobody takes the
    /// host for hanging; at most an hour counts. The last number counts, and 0 says that it is done. NOT_NOW in `create`.
    ///
    /// Older hosts do not have this function: look with GATEHOUSE_OFFERS. [any thread]
    uint32_t (*expect_long)(gatehouse_instance instance, uint64_t nanoseconds);

    /// Says of an action, under its local name, that it was not done, and why in one sentence for the operator. The host reports it,
    /// counts it as a failure of the instance, keeps the action as a dead letter that can be dispatched again, and does not end
    /// the run with 0. INVALID as for `emit`; NOT_NOW in `create`.
    ///
    /// Older hosts do not have this function: look with GATEHOUSE_OFFERS. [any thread]
    uint32_t (*fail)(
        gatehouse_instance instance, const struct gatehouse_action *action, struct gatehouse_text reason);
};

/// Whether a host has a function that was added to its table later on: GATEHOUSE_OFFERS(host, begin_when_kept).
#define GATEHOUSE_OFFERS(host, function)                                                                   \
    ((host)->size >= offsetof(struct gatehouse_foreign_host_v1, function) + sizeof((host)->function))

/// What a plugin has. Owned by the plugin, constant, and valid for the life of the process. A function that is NULL is not
/// there; at least one of `handle`, `run_after`, `reduce` and `intercept` is. `self` is what `create` has returned.
struct gatehouse_foreign_plugin_v1 {
    /// The size of this table in bytes, as the plugin was compiled; what lies behind counts as NULL.
    uint32_t size;
    /// The version of the form of the state, from 1; 0 for a plugin without state.
    uint32_t state_version;

    /// Makes what one instance needs, from its settings: the operator's JSON object, which fits the manifest's schema.
    ///
    /// Only makes values: a host may call it to look at the plugin and never start the instance. Returns NULL, after calling
    /// `refuse`, when the settings cannot be used. Without this function `self` is NULL. [in turn, once]
    void *(*create)(gatehouse_instance instance, struct gatehouse_text settings);

    /// Frees what `create` made; the last call for the instance. Threads of the plugin may go on, also right behind
    /// `cancelled`: what they ask of the host does nothing, and what they still read is not to be freed here but by the last of
    /// them. Not called where `create` returned NULL. [in turn, once]
    void (*destroy)(void *self, gatehouse_instance instance);

    /// Called before the first action: opens files and ports, begins threads. [in turn, at most once]
    void (*start)(void *self, gatehouse_instance instance);

    /// Called when the run ends or the host lets go of the instance, after the last input; may emit. Actions may still come.
    /// [in turn, at most once]
    void (*stop)(void *self, gatehouse_instance instance);

    /// Hears an action before the reducers. Returns 1 to have `run_after` called for it when they are through, otherwise 0.
    /// [in turn]
    uint32_t (*handle)(void *self, gatehouse_instance instance, const struct gatehouse_action *action);

    /// Hears an action after the reducers, each one where there is no `handle`. [in turn]
    void (*run_after)(void *self, gatehouse_instance instance, const struct gatehouse_action *action);

    /// Gives the state of a fresh instance, as JSON. Required where there is `reduce`. [in turn, once]
    void (*initial_state)(void *self, gatehouse_instance instance, struct gatehouse_receiver receiver);

    /// Gives the state that follows from an action, as JSON; gives nothing when it stays as it is. Must not emit.
    ///
    /// A state may have been written by hand: it is any JSON. [in turn]
    void (*reduce)(
        void *self, gatehouse_instance instance, const struct gatehouse_action *action, struct gatehouse_text state,
        struct gatehouse_receiver receiver);

    /// Gives the present form of a state that an older library has written; gives nothing when it cannot be had. Called with
    /// each version below `state_version`; belongs to no instance. [any thread]
    void (*migrate)(uint32_t version, struct gatehouse_text state, struct gatehouse_receiver receiver);

    /// Told that the gate has opened (1) or closed (0). [in turn]
    void (*gate_changed)(void *self, gatehouse_instance instance, uint32_t is_open);

    /// Told that work was cancelled, after `is_running` has become 0; not when `destroy` comes first. [in turn]
    void (*cancelled)(void *self, gatehouse_instance instance, gatehouse_work work);

    /// Decides about an action ahead of all middlewares: a gatehouse_interception. The manifest lists the permission
    /// `intercept` where this is there. [in turn]
    uint32_t (*intercept)(void *self, gatehouse_instance instance, const struct gatehouse_action *action);

    /// NULL.
    const void *reserved;

    /// Has work done that `begin_when_kept` has begun; not called for what was cancelled before. Ends it by `end`, then or later.
    ///
    /// `key` names what the action led to, and is the same when that is dispatched again after a crash: hand it to services that
    /// do a thing once for each key. It is empty where no action led to it. `memo` is what the work was begun with. [in turn]
    void (*perform)(
        void *self, gatehouse_instance instance, gatehouse_work work, struct gatehouse_text key,
        struct gatehouse_text memo);
};

/// The name of the entry. Define it before this file is included where one program links several plugins.
#ifndef GATEHOUSE_ENTRY
#define GATEHOUSE_ENTRY gatehouse_foreign_v1
#endif

/// The entry: the plugin's table, or NULL after calling `refuse` with the instance 0. Called once for each loaded image; may
/// call no other function of the host. [the thread that loads]
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct gatehouse_foreign_plugin_v1 *
GATEHOUSE_ENTRY(const struct gatehouse_foreign_host_v1 *host);

#ifdef __cplusplus
}
#endif

/// Puts the manifest into the library. It is JSON as it stands in a file, without quotes around it:
///
///     GATEHOUSE_MANIFEST({ "id": "hello", "version": "1.0.0", "summary": "Says hello", "consumes": ["hello"] });
///
/// Once in a plugin, outside of functions. In languages without this macro: an ELF note of type 1 by `gatehouse` in the section
/// `.note.gatehouse`, whose content is the text that GATEHOUSE_NOTE makes, in at most 32768 bytes.
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

/// The text of the note; what remains of its content is filled with zeros.
#define GATEHOUSE_NOTE(entry, manifest)                                                                    \
    "{\"format\":1,\"foreign\":1,\"entry\":\"" GATEHOUSE_QUOTED(entry) "\",\"manifest\":" manifest "}"
#define GATEHOUSE_QUOTED(name) GATEHOUSE_QUOTED_ONCE(name)
#define GATEHOUSE_QUOTED_ONCE(name) #name

// The layout is the contract: a compiler that sees another one cannot make plugins.
#ifdef __cplusplus
#define GATEHOUSE_ASSERT(condition) static_assert(condition, #condition)
#else
#define GATEHOUSE_ASSERT(condition) _Static_assert(condition, #condition)
#endif
GATEHOUSE_ASSERT(sizeof(void *) == 8);
GATEHOUSE_ASSERT(sizeof(struct gatehouse_text) == 16);
GATEHOUSE_ASSERT(sizeof(struct gatehouse_action) == 40);
GATEHOUSE_ASSERT(sizeof(struct gatehouse_receiver) == 16);
GATEHOUSE_ASSERT(sizeof(struct gatehouse_foreign_host_v1) == 144);
GATEHOUSE_ASSERT(offsetof(struct gatehouse_foreign_host_v1, begin_when_kept) == 120);
GATEHOUSE_ASSERT(offsetof(struct gatehouse_foreign_host_v1, expect_long) == 128);
GATEHOUSE_ASSERT(offsetof(struct gatehouse_foreign_host_v1, fail) == 136);
GATEHOUSE_ASSERT(sizeof(struct gatehouse_foreign_plugin_v1) == 120);
GATEHOUSE_ASSERT(offsetof(struct gatehouse_foreign_plugin_v1, perform) == 112);
#undef GATEHOUSE_ASSERT

#endif
