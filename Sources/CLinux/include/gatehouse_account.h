// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_ACCOUNT_H
#define GATEHOUSE_ACCOUNT_H

#include "gatehouse_recorder.h"

struct gatehouse_place;

#ifdef __cplusplus
extern "C" {
#endif

// Reads a flight recorder. Thread tags are those of gatehouse_linux.h.

/// The store of a host in which something happened.
enum {
    /// The host's own.
    GATEHOUSE_STORE_HOST = 0,
    /// A partition's.
    GATEHOUSE_STORE_PARTITION = 1,
    /// That of an unknown partition.
    GATEHOUSE_STORE_SOME_PARTITION = 2,
};

/// Who did what, as far as known; texts end with a zero byte, and are empty where nothing is known.
struct gatehouse_account {
    /// One of the blames.
    uint32_t blame;
    /// One of the steps.
    uint32_t step;
    /// One of the ends.
    uint32_t end;
    /// The status of an exit.
    int32_t status;
    int32_t signal;
    int32_t code;
    /// Whether another process sent the signal.
    uint32_t is_sent;
    /// Whether the process has ended, so that the sentence uses the past tense.
    uint32_t is_over;
    /// How many effects may have done it; 0 where that is irrelevant.
    uint32_t effects_count;
    /// One of the stores.
    uint32_t store;
    /// The number of the partition, if known.
    uint32_t partition;
    /// How many partitions without a record may have done it.
    uint32_t unlisted_partitions;
    uint64_t address;
    /// Whether there was a current action, or one began the effect.
    uint32_t has_action;
    /// Its number; 0 for one that interceptors decide about, which has none yet.
    uint64_t sequence;
    /// The input that it goes back to: the number, 0 where inputs are not counted, and the place, line 0 where there is none.
    uint64_t input;
    uint64_t line;
    uint32_t is_read_again;
    char file[GATEHOUSE_TEXT_BYTES + 1];
    char type[GATEHOUSE_TEXT_BYTES + 1];
    char instance[GATEHOUSE_NAME_BYTES + 1];
    char plugin[GATEHOUSE_NAME_BYTES + 1];
    char digest[GATEHOUSE_NAME_BYTES + 1];
    /// The source line where it happened, such as `Counter.swift:41`, or a place in a library; set in the process that dies.
    char place[2 * GATEHOUSE_TEXT_BYTES];
};

/// Reads the present record of a drain; leaves the account empty when there is no such drain. Never reads beyond the flight recorder. Callable
/// from a signal handler. [any-thread]
void gatehouse_recorder_read_drain(const struct gatehouse_recorder *recorder, uint32_t drain, struct gatehouse_account *account);

/// Reads what a flight recorder reveals about an end that no handler reported: the only plugin whose code can have run, in drains or in effects,
/// and what it did if only one thing is possible; nobody if several plugins are possible. [any-thread]
void gatehouse_recorder_read_suspects(const struct gatehouse_recorder *recorder, struct gatehouse_account *account);

/// Reads how the process of a flight recorder died; false when no handler reported it. The same holds. [any-thread]
bool gatehouse_recorder_read_death(const struct gatehouse_recorder *recorder, struct gatehouse_account *account);

/// Returns whether the process of a flight recorder is dying, as its handler reported; reads nothing else, so that a process that still
/// runs and writes there cannot mislead it further. [any-thread]
bool gatehouse_recorder_is_dying(const struct gatehouse_recorder *recorder);

/// The number of running effects without a place in the recorder. [any-thread]
uint32_t gatehouse_recorder_unlisted_effects(const struct gatehouse_recorder *recorder);

/// The plugin's image that contains an address; `GATEHOUSE_RECORDER_IMAGES` for none. Callable from a signal handler. [any-thread]
uint64_t gatehouse_recorder_image_at(const struct gatehouse_recorder *recorder, uint64_t address);

/// The instance of the effect that runs in a task, as its number plus 1; 0 for none. Callable from a signal handler. [any-thread]
uint64_t gatehouse_recorder_instance_of_task(const struct gatehouse_recorder *recorder, uint64_t task);

/// The only instance of the library of an image, as its number plus 1; 0 for none, or several. Callable from a signal handler.
/// [any-thread]
uint64_t gatehouse_recorder_instance_of_image(const struct gatehouse_recorder *recorder, uint64_t image);

/// The numbers of the instances that have effects whose work has begun, each once; returns how many, at most `room`. [any-thread]
size_t gatehouse_recorder_busy_instances(const struct gatehouse_recorder *recorder, uint64_t *numbers, size_t room);

/// Finds the effect that runs in a task, or the only one of the image found, and records it in a death. [any-thread]
void gatehouse_recorder_find_effect(
    const struct gatehouse_recorder *recorder, uint64_t task, struct gatehouse_recorder_death *death);

/// Sets the line where it happened; where no line is known, the library with the offset in it, and the function if its name is short
/// enough. [any-thread]
void gatehouse_account_set_place(struct gatehouse_account *account, const struct gatehouse_place *place);

/// Writes the sentence about who died where, without a terminator, and returns its length in bytes; the same holds. [any-thread]
size_t gatehouse_account_sentence(const struct gatehouse_account *account, char *text, size_t room);

#ifdef __cplusplus
}
#endif

#endif
