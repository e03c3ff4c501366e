// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_RECORDER_LAYOUT_H
#define GATEHOUSE_RECORDER_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

// The flight recorder of a host: shared memory that records who does what with which action, so that a crash handler in the process and a
// supervisor beside it can determine whose code ended the process. It contains no pointers, and its readers trust no number in it: the
// process that wrote it may have died in the middle of anything.
//
// Each store of the process has a record of what its drain does: the host's own is the first, those of its partitions follow. Instances,
// types, inputs and images have the same numbers in all records.
//
// Thread tags are those of gatehouse_linux.h; [drain] is the one thread that has the right to work the queue of a store.

/// How many of each kind the flight recorder can name; later ones are reported as such.
enum {
    GATEHOUSE_RECORDER_FORM = 7,
    /// The maximum number of partitions of the host that have a record at the same time.
    GATEHOUSE_RECORDER_PARTITIONS = 1024,
    /// The number of records: the host's own and those of partitions. As the number of a record, it means none.
    GATEHOUSE_RECORDER_DRAINS = 1 + GATEHOUSE_RECORDER_PARTITIONS,
    GATEHOUSE_RECORDER_INSTANCES = 4096,
    GATEHOUSE_RECORDER_TYPES = 4096,
    GATEHOUSE_RECORDER_INPUTS = 256,
    GATEHOUSE_RECORDER_IMAGES = 2048,
    /// A power of two.
    GATEHOUSE_RECORDER_ROOTS = 1024,
    /// A power of two.
    GATEHOUSE_RECORDER_EFFECTS = 1024,
    /// The maximum number of long works announced at the same time.
    GATEHOUSE_RECORDER_LONG_WORKS = 64,
};

/// The purpose of a call of a plugin's code.
enum gatehouse_step {
    /// No plugin code is called.
    GATEHOUSE_STEP_NONE = 0,
    GATEHOUSE_STEP_INTERCEPT = 1,
    GATEHOUSE_STEP_HANDLE = 2,
    GATEHOUSE_STEP_REDUCE = 3,
    /// The answer of a middleware runs; effects begin there.
    GATEHOUSE_STEP_ANSWER = 4,
    GATEHOUSE_STEP_GATE = 5,
    GATEHOUSE_STEP_START = 6,
    GATEHOUSE_STEP_STOPPING = 7,
    /// Work beside the drain: in an effect, or on a thread that the plugin made.
    GATEHOUSE_STEP_ASIDE = 8,
    /// The work of one effect, beside the drain.
    GATEHOUSE_STEP_EFFECT = 9,
    /// An effect is cancelled.
    GATEHOUSE_STEP_CANCEL = 10,
    /// Work that has waited begins in the drain.
    GATEHOUSE_STEP_PERFORM = 11,
    /// A thread that the plugin made.
    GATEHOUSE_STEP_THREAD = 12,
    /// State of another version is read.
    GATEHOUSE_STEP_MIGRATE = 13,
};

/// The origin of an action, laid out like `ActionSource`: line, number of the origin, and cause.
struct gatehouse_source {
    uint64_t line;
    uint32_t origin;
    /// The kind in the upper 3 bits, and the low 29 bits of a number.
    uint32_t cause;
};

/// The kinds of causes that begin something, and the number of bits of their numbers.
enum { GATEHOUSE_CAUSE_UNKNOWN = 0, GATEHOUSE_CAUSE_INPUT = 1, GATEHOUSE_CAUSE_SHIFT = 29 };

/// The sizes of texts, which lack a terminator where they fill their place; longer ones are cut.
#define GATEHOUSE_NAME_BYTES 64
#define GATEHOUSE_TEXT_BYTES 128

/// One use of a plugin, in one store or several; free while its id is empty.
struct gatehouse_recorder_instance {
    /// Whether it is used in partitions.
    uint64_t is_in_partitions;
    char id[GATEHOUSE_NAME_BYTES];
    char plugin[GATEHOUSE_NAME_BYTES];
    /// In hexadecimal; empty for a plugin that is linked in.
    char digest[GATEHOUSE_NAME_BYTES];
};

/// The range where a library of a plugin is mapped.
struct gatehouse_recorder_image {
    uint64_t start;
    uint64_t end;
    char plugin[GATEHOUSE_NAME_BYTES];
    char digest[GATEHOUSE_NAME_BYTES];
};

/// The name of an origin of actions; its index in the table is its number modulo the table's size.
struct gatehouse_recorder_input {
    uint32_t origin;
    /// Whether the same line is read again when the host is restarted.
    uint32_t is_read_again;
    char name[GATEHOUSE_TEXT_BYTES];
};

/// The name of an action type; its index in the table is its place modulo the table's size, so that the types met last are known.
struct gatehouse_recorder_type {
    uint64_t place;
    char name[GATEHOUSE_TEXT_BYTES];
};

/// An effect that has begun and has not ended.
struct gatehouse_recorder_effect {
    /// The number of the instance above 8 bits of the step, written last; 0 for a free place.
    uint64_t work;
    /// The task in which its work began; 0 while there is none.
    uint64_t task;
    /// The number of the action that began it; 0 for none.
    uint64_t sequence;
    /// The place of the type of that action; `GATEHOUSE_RECORDER_NO_TYPE` where it is no longer known.
    uint64_t type;
    /// The number of the input that it goes back to; 0 where inputs are not counted.
    uint64_t input;
    /// The input that it goes back to.
    struct gatehouse_source root;
};

/// What a drain does, and what it has begun.
///
/// The fields that every store writes come first, so a record takes only one page while little happens; the tables take pages as they are
/// written.
struct gatehouse_recorder_drain {
    /// The thread that drains.
    uint64_t thread;
    /// Whether it is outside the flight recorder, where no reader finds it; such a record has no tables.
    uint64_t is_unlisted;
    /// The number of the instance above 8 bits of the step.
    uint64_t work;
    /// The number of the current or last action, as causes name it.
    uint64_t sequence;
    /// The number of actions in this run.
    uint64_t count;
    /// The place of its type.
    uint64_t type;
    /// The number of the input that the current action goes back to; 0 where inputs are not counted.
    uint64_t input;
    /// The same for the action that interceptors decide about.
    uint64_t intercepted_input;
    /// The place of the type of the action that interceptors decide about, which has no number yet.
    uint64_t intercepted_type;
    /// The input that it goes back to.
    struct gatehouse_source intercepted_root;
    /// Where the search for a place for the next effect starts.
    uint64_t next_effect;
    /// The number of running effects without a place.
    uint64_t unlisted_effects;
    /// Makes the sizes with and without tables multiples of 64 bytes, so that threads of two drains never write to the same cache line.
    uint64_t padding[3];
    /// The inputs that the last actions go back to, by the low bits of the actions' numbers.
    struct gatehouse_source roots[GATEHOUSE_RECORDER_ROOTS];
    /// The running effects.
    struct gatehouse_recorder_effect effects[GATEHOUSE_RECORDER_EFFECTS];
};

/// How a death was attributed.
enum { GATEHOUSE_BLAME_NOBODY = 0, GATEHOUSE_BLAME_RECORD = 1, GATEHOUSE_BLAME_FRAMES = 2 };

/// How a process ended.
enum gatehouse_end {
    /// A signal.
    GATEHOUSE_END_SIGNAL = 0,
    /// A call of `exit`, `_exit` or `quick_exit` that the host did not make.
    GATEHOUSE_END_EXIT = 1,
    /// The main thread ended.
    GATEHOUSE_END_MAIN_THREAD = 2,
    /// A thread with the right to drain ended.
    GATEHOUSE_END_OTHER_THREAD = 3,
    /// Some code closed descriptors of the host, which ended because of that.
    GATEHOUSE_END_DESCRIPTORS = 4,
};

/// The findings at an unwanted end of the process; valid when `is_told` is 1.
struct gatehouse_recorder_death {
    uint32_t is_told;
    /// One of the ends.
    uint32_t end;
    /// The status of an exit.
    int32_t status;
    int32_t signal;
    int32_t code;
    uint32_t blame;
    /// Whether another process sent the signal.
    uint32_t is_sent;
    /// How many effects of the image ran at that moment; one without a place may be any image's.
    uint32_t effects_count;
    /// The drain responsible, or the one of the effect.
    uint32_t drain;
    uint64_t address;
    /// The image found among the frames, if those were examined.
    uint64_t image;
    /// The number of the instance that made the thread, plus 1; 0 for a thread that no plugin made.
    uint64_t owner;
    /// The drain's record at that moment.
    uint64_t work;
    /// The responsible effect, or the only one possible; its work is 0 for none.
    struct gatehouse_recorder_effect effect;
};

/// Signs of life: each question has a number, and each living part writes the number of the last one that it reached.
struct gatehouse_recorder_signs {
    /// The number of questions.
    uint64_t asked;
    /// The last one that the event loop reached.
    uint64_t loop;
    /// The last one that the pool of threads shared by all tasks reached.
    uint64_t pool;
};

struct gatehouse_recorder {
    uint32_t magic;
    uint32_t form;
    int32_t process;
    uint32_t images_count;
    /// Seconds since 1970.
    double start;
    char version[GATEHOUSE_NAME_BYTES];
    /// The exit code above bit 32, once the host itself decides to end; 0 before.
    uint64_t announced_end;
    /// Whether the host was asked to end.
    uint32_t is_stopping;
    /// How often a supervisor started the host before this time; written by the supervisor.
    uint32_t restarts;
    /// The host's signs of life.
    struct gatehouse_recorder_signs signs;
    /// The announced long works of plugins, each as the moment when it should be done, in nanoseconds of CLOCK_MONOTONIC; 0 for a free
    /// place.
    uint64_t long_works[GATEHOUSE_RECORDER_LONG_WORKS];
    struct gatehouse_recorder_death death;
    /// The number of partitions without a record.
    uint32_t unlisted_partitions;
    /// The partitions that have the records after the first, each as its number plus 1; 0 for a free record.
    uint32_t partitions[GATEHOUSE_RECORDER_PARTITIONS];
    struct gatehouse_recorder_input inputs[GATEHOUSE_RECORDER_INPUTS];
    struct gatehouse_recorder_instance instances[GATEHOUSE_RECORDER_INSTANCES];
    struct gatehouse_recorder_image images[GATEHOUSE_RECORDER_IMAGES];
    struct gatehouse_recorder_type types[GATEHOUSE_RECORDER_TYPES];
    /// The host's own, followed by those of partitions; a flight recorder without room for partitions ends after the first.
    struct gatehouse_recorder_drain drains[GATEHOUSE_RECORDER_DRAINS] __attribute__((aligned(64)));
};

/// The place of no type.
#define GATEHOUSE_RECORDER_NO_TYPE UINT64_MAX

#define GATEHOUSE_RECORDER_MAGIC 0x47484242u

#endif
