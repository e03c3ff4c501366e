// SPDX-License-Identifier: Apache-2.0

// _dl_find_object is an extension that the C library shows only on request.
#define _GNU_SOURCE

#include "gatehouse_blackbox.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// MARK: - The memory

struct gatehouse_box *gatehouse_box_map(int descriptor) {
    const int flags = descriptor < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void *memory = mmap(NULL, sizeof(struct gatehouse_box), PROT_READ | PROT_WRITE, flags, descriptor, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void gatehouse_box_unmap(struct gatehouse_box *box) { munmap(box, sizeof *box); }

void gatehouse_box_inherit(
    const struct gatehouse_box_drain *drain, uint64_t latest, struct gatehouse_source *source) {
    const uint32_t mask = (1u << GATEHOUSE_CAUSE_SHIFT) - 1;
    const uint32_t low = source->cause & mask;
    const uint64_t distance = (latest - low) & mask;
    // What happened longer ago is not known any more.
    if (low == 0 || distance >= GATEHOUSE_BOX_ROOTS - 1 || distance >= latest) {
        *source = (struct gatehouse_source){0, 0, 0};
        return;
    }
    *source = drain->roots[(latest - distance) & (GATEHOUSE_BOX_ROOTS - 1)];
}

void gatehouse_box_intercept(
    struct gatehouse_box_drain *drain, uint64_t type, struct gatehouse_source source, uint64_t input) {
    if (source.cause >> GATEHOUSE_CAUSE_SHIFT > GATEHOUSE_CAUSE_INPUT) {
        gatehouse_box_inherit(drain, drain->sequence, &source);
    }
    drain->intercepted_type = type;
    drain->intercepted_root = source;
    drain->intercepted_input = input;
}

// MARK: - Effects

// Every Swift program has it from libswift_Concurrency; no header declares it. It reads a variable of the thread, so that a
// handler may call it.
extern void *swift_task_getCurrent(void);

uint64_t gatehouse_box_task(void) { return (uint64_t)(uintptr_t)swift_task_getCurrent(); }

/// So many places are looked at for one that is free.
enum { most_looks = 16 };

uint32_t gatehouse_box_begin_effect(struct gatehouse_box_drain *drain, uint64_t instance, uint64_t sequence) {
    for (int look = 0; look < most_looks; look++) {
        const uint64_t place = drain->next_effect++ & (GATEHOUSE_BOX_EFFECTS - 1);
        struct gatehouse_box_effect *effect = &drain->effects[place];
        if (__atomic_load_n(&effect->work, __ATOMIC_ACQUIRE) != 0) { continue; }
        effect->task = 0;
        effect->sequence = sequence;
        const bool is_in_hand = sequence == drain->sequence;
        effect->type = is_in_hand ? drain->type : GATEHOUSE_BOX_TYPES;
        effect->input = is_in_hand ? drain->input : 0;
        effect->root = (struct gatehouse_source){0, 0, 0};
        if (sequence > 0 && sequence <= drain->sequence && drain->sequence - sequence < GATEHOUSE_BOX_ROOTS) {
            effect->root = drain->roots[sequence & (GATEHOUSE_BOX_ROOTS - 1)];
        }
        __atomic_store_n(&effect->work, instance << 8 | GATEHOUSE_STEP_EFFECT, __ATOMIC_RELEASE);
        return (uint32_t)place + 1;
    }
    __atomic_fetch_add(&drain->unlisted_effects, 1, __ATOMIC_RELAXED);
    return 0;
}

void gatehouse_box_begin_work(struct gatehouse_box_drain *drain, uint32_t place) {
    if (place == 0) { return; }
    __atomic_store_n(&drain->effects[place - 1].task, gatehouse_box_task(), __ATOMIC_RELAXED);
}

void gatehouse_box_end_effect(struct gatehouse_box_drain *drain, uint32_t place) {
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

size_t gatehouse_box_bytes(void) { return sizeof(struct gatehouse_box); }

/// Fills a place with a text and zeros behind it.
static void fill(char *place, size_t room, const char *text) {
    memset(place, 0, room);
    memcpy(place, text, strnlen(text, room));
}

void gatehouse_box_open(struct gatehouse_box *box, double start, const char *version) {
    box->start = start;
    box->process = getpid();
    box->form = GATEHOUSE_BOX_FORM;
    fill(box->version, sizeof box->version, version);
    __atomic_store_n(&box->magic, GATEHOUSE_BOX_MAGIC, __ATOMIC_RELEASE);
}

struct gatehouse_box_drain *gatehouse_box_drain(struct gatehouse_box *box) { return &box->drain; }

void gatehouse_box_set_instance(
    struct gatehouse_box *box, uint64_t number, const char *id, const char *plugin, const char *digest) {
    if (number >= GATEHOUSE_BOX_INSTANCES) { return; }
    struct gatehouse_box_instance *instance = &box->instances[number];
    fill(instance->plugin, sizeof instance->plugin, plugin);
    fill(instance->digest, sizeof instance->digest, digest);
    fill(instance->id, sizeof instance->id, id);
}

void gatehouse_box_set_type(struct gatehouse_box *box, uint64_t place, const char *name) {
    if (place < GATEHOUSE_BOX_TYPES) { fill(box->types[place], sizeof box->types[place], name); }
}

bool gatehouse_box_has_input(const struct gatehouse_box *box, uint32_t origin) {
    const struct gatehouse_box_input *input = &box->inputs[origin % GATEHOUSE_BOX_INPUTS];
    return input->origin == origin && input->name[0] != 0;
}

void gatehouse_box_set_input(struct gatehouse_box *box, uint32_t origin, bool is_read_again, const char *name) {
    struct gatehouse_box_input *input = &box->inputs[origin % GATEHOUSE_BOX_INPUTS];
    input->name[0] = 0;
    input->origin = origin;
    input->is_read_again = is_read_again;
    fill(input->name, sizeof input->name, name);
}

void gatehouse_box_add_image(
    struct gatehouse_box *box, uint64_t start, uint64_t end, const char *plugin, const char *digest) {
    const uint32_t count = box->images_count;
    if (count >= GATEHOUSE_BOX_IMAGES) { return; }
    for (uint32_t index = 0; index < count; index++) {
        if (box->images[index].start == start) { return; }
    }
    struct gatehouse_box_image *image = &box->images[count];
    *image = (struct gatehouse_box_image){.start = start, .end = end};
    fill(image->plugin, sizeof image->plugin, plugin);
    fill(image->digest, sizeof image->digest, digest);
    __atomic_store_n(&box->images_count, count + 1, __ATOMIC_RELEASE);
}
