// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_RECORDER_H
#define GATEHOUSE_RECORDER_H

#include "gatehouse_recorder_layout.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// The functions of a flight recorder, whose memory gatehouse_recorder_layout.h describes.

// MARK: - Names

/// The size of a flight recorder in bytes, with or without room for partitions. [any-thread]
size_t gatehouse_recorder_bytes(bool has_partitions);

/// Makes empty memory the flight recorder of this process, started at a time in seconds since 1970. [one thread at a time]
void gatehouse_recorder_open(struct gatehouse_recorder *recorder, double start, const char *version);

/// The record of the host's own drain; valid as long as the flight recorder. [any-thread]
struct gatehouse_recorder_drain *gatehouse_recorder_drain(struct gatehouse_recorder *recorder);

/// Gives a partition an empty record. If none is left, or the flight recorder has no room for partitions, allocates one without tables, which no
/// reader finds; returns NULL when there is no memory. [one thread at a time]
struct gatehouse_recorder_drain *gatehouse_recorder_lend(
    struct gatehouse_recorder *recorder, bool has_partitions, uint32_t partition);

/// Takes back the record of a partition, or frees its memory; it must no longer be written. [one thread at a time]
void gatehouse_recorder_take_back(
    struct gatehouse_recorder *recorder, bool has_partitions, struct gatehouse_recorder_drain *drain);

/// The record with a number, 0 for the host's own; NULL where there is none. [any-thread]
const struct gatehouse_recorder_drain *gatehouse_recorder_drain_at(const struct gatehouse_recorder *recorder, uint32_t number);

/// The partition that has the record with a number; -1 for the host's own, and where there is none. [any-thread]
int64_t gatehouse_recorder_partition_at(const struct gatehouse_recorder *recorder, uint32_t number);

/// The drain that the calling thread works; `GATEHOUSE_RECORDER_DRAINS` if no plugin's code runs on it. Callable from a signal handler.
/// [any-thread]
uint32_t gatehouse_recorder_drain_here(const struct gatehouse_recorder *recorder);

/// The only drain that runs a plugin's code at this moment; `GATEHOUSE_RECORDER_DRAINS` for none, or if there are several. [any-thread]
uint32_t gatehouse_recorder_only_drain(const struct gatehouse_recorder *recorder);

/// Enters an instance under its number, or removes it if the id is empty. Here and below, texts that are too long are cut, and numbers
/// for which there is no room are ignored. [one thread at a time]
void gatehouse_recorder_set_instance(
    struct gatehouse_recorder *recorder, uint64_t number, const char *id, const char *plugin, const char *digest,
    bool is_in_partitions);

/// Copies the id of an instance, at most `GATEHOUSE_NAME_BYTES` and a zero; empty for none. [any-thread]
void gatehouse_recorder_instance_id(const struct gatehouse_recorder *recorder, uint64_t number, char *id);

/// Enters the name of the type at a place. [one thread at a time]
void gatehouse_recorder_set_type(struct gatehouse_recorder *recorder, uint64_t place, const char *name);

/// Whether an input is entered. [one thread at a time]
bool gatehouse_recorder_has_input(const struct gatehouse_recorder *recorder, uint32_t origin);

/// Enters an input, and whether the same lines are read again when the host is restarted. [one thread at a time]
void gatehouse_recorder_set_input(struct gatehouse_recorder *recorder, uint32_t origin, bool is_read_again, const char *name);

/// Enters the range where a library of a plugin is mapped, once. [one thread at a time]
void gatehouse_recorder_add_image(
    struct gatehouse_recorder *recorder, uint64_t start, uint64_t end, const char *plugin, const char *digest);

/// The process that a flight recorder belongs to; 0 if the flight recorder is not valid. [any-thread]
int gatehouse_recorder_process(const struct gatehouse_recorder *recorder);

// MARK: - On the way of an action

/// Identifies the calling thread in the flight recorder. [any-thread]
static inline uint64_t gatehouse_recorder_thread(void) { return (uint64_t)(uintptr_t)__builtin_thread_pointer(); }

/// Replaces the source of an action that others led to by the input that it goes back to; `latest` is the number of actions before it.
/// [drain]
void gatehouse_recorder_inherit(
    const struct gatehouse_recorder_drain *drain, uint64_t latest, struct gatehouse_source *source);

/// Records the action that interceptors decide about. [drain]
void gatehouse_recorder_intercept(
    struct gatehouse_recorder_drain *drain, uint64_t type, struct gatehouse_source source, uint64_t input);

/// Counts one more action, and returns their number. [drain]
static inline uint64_t gatehouse_recorder_count_one(struct gatehouse_recorder_drain *drain) {
    const uint64_t count = drain->count + 1;
    __atomic_store_n(&drain->count, count, __ATOMIC_RELAXED);
    return count;
}

/// The number of actions in this run. [any-thread]
static inline uint64_t gatehouse_recorder_count(const struct gatehouse_recorder_drain *drain) {
    return __atomic_load_n(&drain->count, __ATOMIC_RELAXED);
}

/// Records the input that the current action goes back to; 0 for none. [drain]
static inline void gatehouse_recorder_set_root(struct gatehouse_recorder_drain *drain, uint64_t input) {
    __atomic_store_n(&drain->input, input, __ATOMIC_RELAXED);
}

/// Makes an action the current one, under its number. [drain]
static inline void gatehouse_recorder_begin(
    struct gatehouse_recorder_drain *drain, uint64_t sequence, uint64_t type, struct gatehouse_source source) {
    __atomic_store_n(&drain->sequence, sequence, __ATOMIC_RELAXED);
    __atomic_store_n(&drain->type, type, __ATOMIC_RELAXED);
    if (__builtin_expect(drain->is_unlisted != 0, 0)) { return; }
    if (__builtin_expect(source.cause >> GATEHOUSE_CAUSE_SHIFT > GATEHOUSE_CAUSE_INPUT, 0)) {
        // A copy, so that sources without a cause need not be in memory.
        struct gatehouse_source heir = source;
        gatehouse_recorder_inherit(drain, sequence - 1, &heir);
        source = heir;
    }
    // Part by part: a load of the whole would wait for the stores of its parts.
    struct gatehouse_source *root = &drain->roots[sequence & (GATEHOUSE_RECORDER_ROOTS - 1)];
    __atomic_store_n(&root->line, source.line, __ATOMIC_RELAXED);
    __atomic_store_n(&root->origin, source.origin, __ATOMIC_RELAXED);
    __atomic_store_n(&root->cause, source.cause, __ATOMIC_RELAXED);
}

/// Records an effect of an instance that begins, after the action with a number, 0 for none; returns its place, from 1, or 0 where there
/// is none left. [drain]
uint32_t gatehouse_recorder_begin_effect(struct gatehouse_recorder_drain *drain, uint64_t instance, uint64_t sequence);

/// The task that runs on this thread; 0 for none. Callable from a signal handler. [any-thread]
uint64_t gatehouse_recorder_task(void);

/// Records that the work of the effect at a place begins in the task that runs on this thread. [any-thread]
void gatehouse_recorder_begin_work(struct gatehouse_recorder_drain *drain, uint32_t place);

/// Records the origin of the effect at a place as that of an action without a number; 0 for an effect without a place. [drain]
void gatehouse_recorder_show_effect(struct gatehouse_recorder_drain *drain, uint32_t place);

/// Records that the effect at a place has ended; 0 for one without. [any-thread]
void gatehouse_recorder_end_effect(struct gatehouse_recorder_drain *drain, uint32_t place);

/// Records whose code runs from here on, and its step; `work` is as in the record. [drain]
static inline void gatehouse_recorder_enter(struct gatehouse_recorder_drain *drain, uint64_t work) {
    __atomic_store_n(&drain->work, work, __ATOMIC_RELAXED);
}

/// Records the thread that drains. [drain]
static inline void gatehouse_recorder_take(struct gatehouse_recorder_drain *drain) {
    __atomic_store_n(&drain->thread, gatehouse_recorder_thread(), __ATOMIC_RELAXED);
}

/// The thread that drains, or drained last, as the C library identifies it. [any-thread]
static inline uint64_t gatehouse_recorder_thread_of(const struct gatehouse_recorder_drain *drain) {
    return __atomic_load_n(&drain->thread, __ATOMIC_RELAXED);
}

/// The current instance and step, as in the record. [any-thread]
static inline uint64_t gatehouse_recorder_work(const struct gatehouse_recorder_drain *drain) {
    return __atomic_load_n(&drain->work, __ATOMIC_RELAXED);
}

/// The number of the current or last action. [any-thread]
static inline uint64_t gatehouse_recorder_sequence(const struct gatehouse_recorder_drain *drain) {
    return __atomic_load_n(&drain->sequence, __ATOMIC_RELAXED);
}

// MARK: - Ends

/// Records, in the flight recorder of this process, that its end is intended from here on, and the exit code. [any-thread]
void gatehouse_announce_end(int code);

/// The announced exit code; -1 for none. [any-thread]
int gatehouse_recorder_announced_end(const struct gatehouse_recorder *recorder);

/// Records in the flight recorder of this process that code on the calling thread ended it, and whose code that was; reports it in one line if a
/// supervisor reads the flight recorder. [any-thread]
void gatehouse_note_end(uint32_t end, int status, bool is_told_here);

/// Ends the process because its descriptors were closed by other code, and records in the flight recorder by whom. [any-thread]
void gatehouse_end_without_descriptors(void);

/// Records that the host was asked to end. [any-thread]
static inline void gatehouse_recorder_note_stop(struct gatehouse_recorder *recorder) {
    __atomic_store_n(&recorder->is_stopping, 1, __ATOMIC_RELEASE);
}

/// Whether the host was asked to end. [any-thread]
static inline bool gatehouse_recorder_is_stopping(const struct gatehouse_recorder *recorder) {
    return __atomic_load_n(&recorder->is_stopping, __ATOMIC_ACQUIRE) != 0;
}

/// How often a supervisor started the host before. [any-thread]
static inline uint32_t gatehouse_recorder_restarts(const struct gatehouse_recorder *recorder) {
    return __atomic_load_n(&recorder->restarts, __ATOMIC_RELAXED);
}

/// Sets how often a supervisor started the host before. [any-thread]
static inline void gatehouse_recorder_set_restarts(struct gatehouse_recorder *recorder, uint32_t count) {
    __atomic_store_n(&recorder->restarts, count, __ATOMIC_RELAXED);
}

// MARK: - Signs of life

/// Asks for one more sign of each kind; returns the number of the question. [one thread at a time]
static inline uint64_t gatehouse_recorder_ask(struct gatehouse_recorder *recorder) {
    return __atomic_add_fetch(&recorder->signs.asked, 1, __ATOMIC_RELEASE);
}

/// Records that the event loop has reached a question. [any-thread]
static inline void gatehouse_recorder_sign_loop(struct gatehouse_recorder *recorder, uint64_t question) {
    __atomic_store_n(&recorder->signs.loop, question, __ATOMIC_RELEASE);
}

/// Records that the threads shared by all tasks have reached a question. [any-thread]
static inline void gatehouse_recorder_sign_pool(struct gatehouse_recorder *recorder, uint64_t question) {
    __atomic_store_n(&recorder->signs.pool, question, __ATOMIC_RELEASE);
}

/// The present signs. [any-thread]
static inline struct gatehouse_recorder_signs gatehouse_recorder_signs(const struct gatehouse_recorder *recorder) {
    const struct gatehouse_recorder_signs signs = {
        __atomic_load_n(&recorder->signs.asked, __ATOMIC_ACQUIRE), __atomic_load_n(&recorder->signs.loop, __ATOMIC_ACQUIRE),
        __atomic_load_n(&recorder->signs.pool, __ATOMIC_ACQUIRE)};
    return signs;
}

/// Announced long work.
struct gatehouse_recorder_long_work {
    /// The moment when it should be done.
    uint64_t end;
    /// Its place; the one after the last if none was left.
    uint64_t place;
};

/// Announces work that takes at most the given number of nanoseconds. [any-thread]
struct gatehouse_recorder_long_work gatehouse_recorder_begin_long_work(struct gatehouse_recorder *recorder, uint64_t nanoseconds);

/// Records that long work is done; without effect the second time. [any-thread]
void gatehouse_recorder_end_long_work(struct gatehouse_recorder *recorder, struct gatehouse_recorder_long_work work);

/// Whether there is long work whose time is not over. [any-thread]
bool gatehouse_recorder_has_long_work(const struct gatehouse_recorder *recorder);

// MARK: - Threads of plugins

/// The instance whose code is making a thread, as its number plus 1; 0 for none. Call it where the thread is made. [any-thread]
uint64_t gatehouse_recorder_maker(const void *return_address);

/// Sets the instance that made the calling thread, as its number plus 1. [any-thread]
void gatehouse_recorder_set_owner(uint64_t owner);

// MARK: - Crashes

/// Tells the crash handler the flight recorder of the host in this process; NULL for none. [any-thread]
void gatehouse_recorder_watch(struct gatehouse_recorder *recorder);

/// Gives the calling thread a stack for signal handlers for life, unless it has one. [any-thread]
void gatehouse_prepare_thread(void);

/// The range of the mapped library that contains an address; returns 0, or -1 when there is none. The corresponding C function is
/// `_dl_find_object`. [any-thread]
int gatehouse_image_range(const void *address, uint64_t *start, uint64_t *end);

/// Maps a file, shared by all who map it and outliving the process; or private memory for a negative descriptor. Returns NULL when the
/// system refuses. [any-thread]
struct gatehouse_recorder *gatehouse_recorder_map(int descriptor, bool has_partitions);

/// Unmaps memory. [any-thread]
void gatehouse_recorder_unmap(struct gatehouse_recorder *recorder, bool has_partitions);

#ifdef __cplusplus
}
#endif

#endif
