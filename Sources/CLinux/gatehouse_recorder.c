// SPDX-License-Identifier: Apache-2.0

// _dl_find_object is an extension that the C library declares only on request.
#define _GNU_SOURCE

#include "gatehouse_recorder.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/// Fills a place with a text, padded with zeros.
static void fill(char *place, size_t room, const char *text) {
    memset(place, 0, room);
    memcpy(place, text, strnlen(text, room));
}

// Programs of other versions write flight recorders that this one reads, and the other way round: their layout is part of the protocol
// between a host and its workers (ABI.md).
_Static_assert(
    offsetof(struct gatehouse_recorder, process) == 8 && offsetof(struct gatehouse_recorder, images_count) == 12
        && offsetof(struct gatehouse_recorder, start) == 16 && offsetof(struct gatehouse_recorder, version) == 24
        && offsetof(struct gatehouse_recorder, announced_end) == 88
        && offsetof(struct gatehouse_recorder, is_stopping) == 96 && offsetof(struct gatehouse_recorder, signs) == 104
        && offsetof(struct gatehouse_recorder, long_works) == 128 && offsetof(struct gatehouse_recorder, death) == 640
        && offsetof(struct gatehouse_recorder, unlisted_partitions) == 768
        && offsetof(struct gatehouse_recorder, partitions) == 772
        && offsetof(struct gatehouse_recorder, inputs) == 4868
        && offsetof(struct gatehouse_recorder, instances) == 39688
        && offsetof(struct gatehouse_recorder, images) == 858888
        && offsetof(struct gatehouse_recorder, types) == 1153800
        && offsetof(struct gatehouse_recorder, drains) == 1710912,
    "another form of the flight recorder, and another protocol of workers");
_Static_assert(
    offsetof(struct gatehouse_recorder_death, status) == 8
        && offsetof(struct gatehouse_recorder_death, blame) == 20
        && offsetof(struct gatehouse_recorder_death, effects_count) == 28
        && offsetof(struct gatehouse_recorder_death, drain) == 32
        && offsetof(struct gatehouse_recorder_death, address) == 40
        && offsetof(struct gatehouse_recorder_death, image) == 48
        && offsetof(struct gatehouse_recorder_death, owner) == 56
        && offsetof(struct gatehouse_recorder_death, work) == 64
        && offsetof(struct gatehouse_recorder_death, effect) == 72,
    "another form of the flight recorder, and another protocol of workers");
_Static_assert(
    offsetof(struct gatehouse_recorder_drain, work) == 16
        && offsetof(struct gatehouse_recorder_drain, sequence) == 24
        && offsetof(struct gatehouse_recorder_drain, count) == 32
        && offsetof(struct gatehouse_recorder_drain, type) == 40
        && offsetof(struct gatehouse_recorder_drain, input) == 48
        && offsetof(struct gatehouse_recorder_drain, intercepted_root) == 72
        && offsetof(struct gatehouse_recorder_drain, next_effect) == 88
        && offsetof(struct gatehouse_recorder_drain, unlisted_effects) == 96
        && offsetof(struct gatehouse_recorder_drain, roots) == 128
        && offsetof(struct gatehouse_recorder_drain, effects) == 16512,
    "another form of the flight recorder, and another protocol of workers");
_Static_assert(
    sizeof(struct gatehouse_recorder) == 77413312 && sizeof(struct gatehouse_recorder_drain) == 73856
        && sizeof(struct gatehouse_recorder_effect) == 56 && sizeof(struct gatehouse_recorder_instance) == 200
        && sizeof(struct gatehouse_recorder_image) == 144 && sizeof(struct gatehouse_recorder_input) == 136
        && sizeof(struct gatehouse_recorder_type) == 136,
    "another form of the flight recorder, and another protocol of workers");

// MARK: - The memory

size_t gatehouse_recorder_bytes(bool has_partitions) {
    return has_partitions ? sizeof(struct gatehouse_recorder) : offsetof(struct gatehouse_recorder, drains[1]);
}

struct gatehouse_recorder *gatehouse_recorder_map(int descriptor, bool has_partitions) {
    // Most of it is never touched.
    const int flags = descriptor < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    void *memory =
        mmap(NULL, gatehouse_recorder_bytes(has_partitions), PROT_READ | PROT_WRITE, flags, descriptor, 0);
    if (memory == MAP_FAILED) { return NULL; }
    // The system would read ahead parts that the file does not have: 64 KB of zeros for each opened record.
    if (descriptor >= 0) { madvise(memory, gatehouse_recorder_bytes(has_partitions), MADV_RANDOM); }
    return memory;
}

void gatehouse_recorder_unmap(struct gatehouse_recorder *recorder, bool has_partitions) {
    munmap(recorder, gatehouse_recorder_bytes(has_partitions));
}

void gatehouse_recorder_open(struct gatehouse_recorder *recorder, double start, const char *version) {
    recorder->start = start;
    recorder->process = getpid();
    recorder->form = GATEHOUSE_RECORDER_FORM;
    fill(recorder->version, sizeof recorder->version, version);
    __atomic_store_n(&recorder->magic, GATEHOUSE_RECORDER_MAGIC, __ATOMIC_RELEASE);
}

int gatehouse_recorder_announced_end(const struct gatehouse_recorder *recorder) {
    const uint64_t end = __atomic_load_n(&recorder->announced_end, __ATOMIC_ACQUIRE);
    return recorder->magic == GATEHOUSE_RECORDER_MAGIC && end >> 32 != 0 ? (int)(end & 0xff) : -1;
}

// MARK: - Drains

enum { drain_alignment = 64 };
_Static_assert(sizeof(struct gatehouse_recorder_drain) % drain_alignment == 0, "two drains would share a line of a cache");

/// The size of a record without tables.
enum { unlisted_bytes = offsetof(struct gatehouse_recorder_drain, roots) };
_Static_assert(unlisted_bytes % drain_alignment == 0, "two drains would share a line of a cache");

struct gatehouse_recorder_drain *gatehouse_recorder_drain(struct gatehouse_recorder *recorder) { return &recorder->drains[0]; }

/// Resets a record to that of a drain in which nothing has happened. Tables are read only as far as they were written.
static void clear(struct gatehouse_recorder_drain *drain) {
    const uint64_t used = drain->next_effect < GATEHOUSE_RECORDER_EFFECTS ? drain->next_effect : GATEHOUSE_RECORDER_EFFECTS;
    for (uint64_t place = 0; place < used; place++) { drain->effects[place].work = 0; }
    memset(drain, 0, unlisted_bytes);
}

struct gatehouse_recorder_drain *gatehouse_recorder_lend(
    struct gatehouse_recorder *recorder, bool has_partitions, uint32_t partition) {
    for (uint32_t place = 0; has_partitions && place < GATEHOUSE_RECORDER_PARTITIONS; place++) {
        if (recorder->partitions[place] != 0) { continue; }
        clear(&recorder->drains[1 + place]);
        __atomic_store_n(&recorder->partitions[place], partition + 1, __ATOMIC_RELEASE);
        return &recorder->drains[1 + place];
    }
    struct gatehouse_recorder_drain *own = aligned_alloc(drain_alignment, unlisted_bytes);
    if (own == NULL) { return NULL; }
    memset(own, 0, unlisted_bytes);
    own->is_unlisted = 1;
    __atomic_fetch_add(&recorder->unlisted_partitions, 1, __ATOMIC_RELAXED);
    return own;
}

void gatehouse_recorder_take_back(
    struct gatehouse_recorder *recorder, bool has_partitions, struct gatehouse_recorder_drain *drain) {
    if (has_partitions && drain > &recorder->drains[0] && drain < &recorder->drains[GATEHOUSE_RECORDER_DRAINS]) {
        __atomic_store_n(&recorder->partitions[drain - &recorder->drains[1]], 0, __ATOMIC_RELEASE);
    } else {
        __atomic_fetch_sub(&recorder->unlisted_partitions, 1, __ATOMIC_RELAXED);
        free(drain);
    }
}

int64_t gatehouse_recorder_partition_at(const struct gatehouse_recorder *recorder, uint32_t number) {
    if (number == 0 || number >= GATEHOUSE_RECORDER_DRAINS) { return -1; }
    return (int64_t)__atomic_load_n(&recorder->partitions[number - 1], __ATOMIC_ACQUIRE) - 1;
}

const struct gatehouse_recorder_drain *gatehouse_recorder_drain_at(const struct gatehouse_recorder *recorder, uint32_t number) {
    return number == 0 || gatehouse_recorder_partition_at(recorder, number) >= 0 ? &recorder->drains[number] : NULL;
}

uint32_t gatehouse_recorder_drain_here(const struct gatehouse_recorder *recorder) {
    // One thread may work several drains in turn; those that it is not working have no step.
    for (uint32_t number = 0; number < GATEHOUSE_RECORDER_DRAINS; number++) {
        const struct gatehouse_recorder_drain *drain = gatehouse_recorder_drain_at(recorder, number);
        if (drain == NULL || (gatehouse_recorder_work(drain) & 0xff) == GATEHOUSE_STEP_NONE) { continue; }
        if (__atomic_load_n(&drain->thread, __ATOMIC_RELAXED) == gatehouse_recorder_thread()) { return number; }
    }
    return GATEHOUSE_RECORDER_DRAINS;
}

uint32_t gatehouse_recorder_only_drain(const struct gatehouse_recorder *recorder) {
    uint32_t only = GATEHOUSE_RECORDER_DRAINS;
    for (uint32_t number = 0; number < GATEHOUSE_RECORDER_DRAINS; number++) {
        const struct gatehouse_recorder_drain *drain = gatehouse_recorder_drain_at(recorder, number);
        if (drain == NULL || (gatehouse_recorder_work(drain) & 0xff) == GATEHOUSE_STEP_NONE) { continue; }
        if (only != GATEHOUSE_RECORDER_DRAINS) { return GATEHOUSE_RECORDER_DRAINS; }
        only = number;
    }
    return only;
}

// MARK: - On the way of an action

void gatehouse_recorder_inherit(
    const struct gatehouse_recorder_drain *drain, uint64_t latest, struct gatehouse_source *source) {
    const uint32_t mask = (1u << GATEHOUSE_CAUSE_SHIFT) - 1;
    const uint32_t low = source->cause & mask;
    const uint64_t distance = (latest - low) & mask;
    // Older sources are no longer known.
    if (low == 0 || distance >= GATEHOUSE_RECORDER_ROOTS - 1 || distance >= latest) {
        *source = (struct gatehouse_source){0, 0, 0};
        return;
    }
    *source = drain->roots[(latest - distance) & (GATEHOUSE_RECORDER_ROOTS - 1)];
}

void gatehouse_recorder_intercept(
    struct gatehouse_recorder_drain *drain, uint64_t type, struct gatehouse_source source, uint64_t input) {
    if (drain->is_unlisted) { return; }
    if (source.cause >> GATEHOUSE_CAUSE_SHIFT > GATEHOUSE_CAUSE_INPUT) {
        gatehouse_recorder_inherit(drain, drain->sequence, &source);
    }
    drain->intercepted_type = type;
    drain->intercepted_root = source;
    drain->intercepted_input = input;
}

// MARK: - Effects

// Every Swift program has it from libswift_Concurrency; no header declares it. It reads a thread-local variable, so a handler may
// call it.
extern void *swift_task_getCurrent(void);

uint64_t gatehouse_recorder_task(void) { return (uint64_t)(uintptr_t)swift_task_getCurrent(); }

/// At most this many places are searched for a free one.
enum { most_looks = 16 };

uint32_t gatehouse_recorder_begin_effect(struct gatehouse_recorder_drain *drain, uint64_t instance, uint64_t sequence) {
    for (int look = 0; look < most_looks && !drain->is_unlisted; look++) {
        const uint64_t place = drain->next_effect++ & (GATEHOUSE_RECORDER_EFFECTS - 1);
        struct gatehouse_recorder_effect *effect = &drain->effects[place];
        if (__atomic_load_n(&effect->work, __ATOMIC_ACQUIRE) != 0) { continue; }
        effect->task = 0;
        effect->sequence = sequence;
        const bool is_in_hand = sequence == drain->sequence;
        effect->type = is_in_hand ? drain->type : GATEHOUSE_RECORDER_NO_TYPE;
        effect->input = is_in_hand ? drain->input : 0;
        effect->root = (struct gatehouse_source){0, 0, 0};
        if (sequence > 0 && sequence <= drain->sequence && drain->sequence - sequence < GATEHOUSE_RECORDER_ROOTS) {
            effect->root = drain->roots[sequence & (GATEHOUSE_RECORDER_ROOTS - 1)];
        }
        __atomic_store_n(&effect->work, instance << 8 | GATEHOUSE_STEP_EFFECT, __ATOMIC_RELEASE);
        return (uint32_t)place + 1;
    }
    __atomic_fetch_add(&drain->unlisted_effects, 1, __ATOMIC_RELAXED);
    return 0;
}

void gatehouse_recorder_begin_work(struct gatehouse_recorder_drain *drain, uint32_t place) {
    if (place == 0) { return; }
    __atomic_store_n(&drain->effects[place - 1].task, gatehouse_recorder_task(), __ATOMIC_RELAXED);
}

void gatehouse_recorder_show_effect(struct gatehouse_recorder_drain *drain, uint32_t place) {
    const struct gatehouse_recorder_effect none = {.type = GATEHOUSE_RECORDER_NO_TYPE};
    const struct gatehouse_recorder_effect *effect =
        place == 0 || place > GATEHOUSE_RECORDER_EFFECTS || drain->is_unlisted ? &none : &drain->effects[place - 1];
    drain->intercepted_type = effect->type;
    drain->intercepted_root = effect->root;
    drain->intercepted_input = effect->input;
}

void gatehouse_recorder_end_effect(struct gatehouse_recorder_drain *drain, uint32_t place) {
    if (place == 0) {
        __atomic_fetch_sub(&drain->unlisted_effects, 1, __ATOMIC_RELAXED);
    } else {
        __atomic_store_n(&drain->effects[place - 1].work, 0, __ATOMIC_RELEASE);
    }
}

int gatehouse_image_range(const void *address, uint64_t *start, uint64_t *end) {
    struct dl_find_object found;
    if (_dl_find_object((void *)(uintptr_t)address, &found) != 0) { return -1; }
    *start = (uint64_t)(uintptr_t)found.dlfo_map_start;
    *end = (uint64_t)(uintptr_t)found.dlfo_map_end;
    return 0;
}

// MARK: - Names

void gatehouse_recorder_set_instance(
    struct gatehouse_recorder *recorder, uint64_t number, const char *id, const char *plugin, const char *digest,
    bool is_in_partitions) {
    if (number >= GATEHOUSE_RECORDER_INSTANCES) { return; }
    struct gatehouse_recorder_instance *instance = &recorder->instances[number];
    instance->is_in_partitions = is_in_partitions;
    fill(instance->plugin, sizeof instance->plugin, plugin);
    fill(instance->digest, sizeof instance->digest, digest);
    fill(instance->id, sizeof instance->id, id);
}

void gatehouse_recorder_set_type(struct gatehouse_recorder *recorder, uint64_t place, const char *name) {
    struct gatehouse_recorder_type *type = &recorder->types[place % GATEHOUSE_RECORDER_TYPES];
    // Each store enters the types that it meets, while others may be reading.
    if (type->place == place && strncmp(type->name, name, sizeof type->name) == 0) { return; }
    __atomic_store_n(&type->place, GATEHOUSE_RECORDER_NO_TYPE, __ATOMIC_RELEASE);
    fill(type->name, sizeof type->name, name);
    __atomic_store_n(&type->place, place, __ATOMIC_RELEASE);
}

bool gatehouse_recorder_has_input(const struct gatehouse_recorder *recorder, uint32_t origin) {
    const struct gatehouse_recorder_input *input = &recorder->inputs[origin % GATEHOUSE_RECORDER_INPUTS];
    return input->origin == origin && input->name[0] != 0;
}

void gatehouse_recorder_set_input(struct gatehouse_recorder *recorder, uint32_t origin, bool is_read_again, const char *name) {
    struct gatehouse_recorder_input *input = &recorder->inputs[origin % GATEHOUSE_RECORDER_INPUTS];
    input->name[0] = 0;
    input->origin = origin;
    input->is_read_again = is_read_again;
    fill(input->name, sizeof input->name, name);
}

void gatehouse_recorder_add_image(
    struct gatehouse_recorder *recorder, uint64_t start, uint64_t end, const char *plugin, const char *digest) {
    const uint32_t count = recorder->images_count;
    if (count >= GATEHOUSE_RECORDER_IMAGES) { return; }
    for (uint32_t index = 0; index < count; index++) {
        if (recorder->images[index].start == start) { return; }
    }
    struct gatehouse_recorder_image *image = &recorder->images[count];
    *image = (struct gatehouse_recorder_image){.start = start, .end = end};
    fill(image->plugin, sizeof image->plugin, plugin);
    fill(image->digest, sizeof image->digest, digest);
    __atomic_store_n(&recorder->images_count, count + 1, __ATOMIC_RELEASE);
}

/// The time of a clock that all processes share, in nanoseconds.
uint64_t gatehouse_recorder_image_at(const struct gatehouse_recorder *recorder, uint64_t address) {
    uint32_t count = __atomic_load_n(&recorder->images_count, __ATOMIC_ACQUIRE);
    if (count > GATEHOUSE_RECORDER_IMAGES) { count = GATEHOUSE_RECORDER_IMAGES; }
    for (uint32_t index = 0; index < count; index++) {
        if (address >= recorder->images[index].start && address < recorder->images[index].end) { return index; }
    }
    return GATEHOUSE_RECORDER_IMAGES;
}

uint32_t gatehouse_recorder_unlisted_effects(const struct gatehouse_recorder *recorder) {
    uint64_t count = 0;
    for (uint32_t number = 0; number < GATEHOUSE_RECORDER_DRAINS; number++) {
        const struct gatehouse_recorder_drain *drain = gatehouse_recorder_drain_at(recorder, number);
        if (drain != NULL) { count += __atomic_load_n(&drain->unlisted_effects, __ATOMIC_RELAXED); }
    }
    return (uint32_t)count;
}

static uint64_t moment(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

struct gatehouse_recorder_long_work gatehouse_recorder_begin_long_work(struct gatehouse_recorder *recorder, uint64_t nanoseconds) {
    struct gatehouse_recorder_long_work work = {moment() + nanoseconds, 0};
    for (; work.place < GATEHOUSE_RECORDER_LONG_WORKS; work.place++) {
        uint64_t none = 0;
        const bool is_free = __atomic_compare_exchange_n(
            &recorder->long_works[work.place], &none, work.end, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
        if (is_free) { break; }
    }
    return work;
}

void gatehouse_recorder_end_long_work(struct gatehouse_recorder *recorder, struct gatehouse_recorder_long_work work) {
    if (work.place >= GATEHOUSE_RECORDER_LONG_WORKS) { return; }
    __atomic_compare_exchange_n(
        &recorder->long_works[work.place], &work.end, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

bool gatehouse_recorder_has_long_work(const struct gatehouse_recorder *recorder) {
    const uint64_t now = moment();
    for (uint32_t index = 0; index < GATEHOUSE_RECORDER_LONG_WORKS; index++) {
        if (__atomic_load_n(&recorder->long_works[index], __ATOMIC_ACQUIRE) > now) { return true; }
    }
    return false;
}
