// SPDX-License-Identifier: Apache-2.0

#include "gatehouse_running_effects.h"

#include <string.h>

bool gatehouse_uses(const struct gatehouse_recorder_instance *instance, const char *plugin, const char *digest) {
    return instance->id[0] != 0 && memcmp(instance->digest, digest, GATEHOUSE_NAME_BYTES) == 0
        && memcmp(instance->plugin, plugin, GATEHOUSE_NAME_BYTES) == 0;
}

const struct gatehouse_recorder_instance *gatehouse_instance_of(
    const struct gatehouse_recorder *recorder, const struct gatehouse_recorder_effect *effect) {
    const uint64_t number = __atomic_load_n(&effect->work, __ATOMIC_ACQUIRE) >> 8;
    const bool is_free = effect->work == 0 || number >= GATEHOUSE_RECORDER_INSTANCES;
    return is_free || recorder->instances[number].id[0] == 0 ? NULL : &recorder->instances[number];
}

const struct gatehouse_recorder_effect *gatehouse_next_effect(const struct gatehouse_recorder *recorder, struct gatehouse_walk *walk) {
    for (; walk->drain < GATEHOUSE_RECORDER_DRAINS; walk->drain++, walk->place = 0) {
        const struct gatehouse_recorder_drain *drain = gatehouse_recorder_drain_at(recorder, walk->drain);
        // Does not touch places that were never used: they may have no memory yet.
        while (drain != NULL && walk->place < GATEHOUSE_RECORDER_EFFECTS && walk->place < drain->next_effect) {
            const struct gatehouse_recorder_effect *effect = &drain->effects[walk->place++];
            if (gatehouse_instance_of(recorder, effect) != NULL) { return effect; }
        }
    }
    return NULL;
}

uint64_t gatehouse_recorder_instance_of_task(const struct gatehouse_recorder *recorder, uint64_t task) {
    const struct gatehouse_recorder_effect *effect;
    struct gatehouse_walk walk = {0, 0};
    while (task != 0 && (effect = gatehouse_next_effect(recorder, &walk)) != NULL) {
        if (effect->task == task) { return (effect->work >> 8) + 1; }
    }
    return 0;
}

uint64_t gatehouse_recorder_instance_of_image(const struct gatehouse_recorder *recorder, uint64_t image) {
    if (image >= GATEHOUSE_RECORDER_IMAGES) { return 0; }
    uint64_t only = 0;
    for (uint64_t number = 0; number < GATEHOUSE_RECORDER_INSTANCES; number++) {
        if (!gatehouse_uses(&recorder->instances[number], recorder->images[image].plugin, recorder->images[image].digest)) { continue; }
        if (only != 0) { return 0; }
        only = number + 1;
    }
    return only;
}

size_t gatehouse_recorder_busy_instances(const struct gatehouse_recorder *recorder, uint64_t *numbers, size_t room) {
    const struct gatehouse_recorder_effect *effect;
    struct gatehouse_walk walk = {0, 0};
    size_t count = 0;
    while (count < room && (effect = gatehouse_next_effect(recorder, &walk)) != NULL) {
        const uint64_t number = effect->work >> 8;
        size_t index = 0;
        while (index < count && numbers[index] != number) { index++; }
        if (effect->task != 0 && index == count) { numbers[count++] = number; }
    }
    return count;
}

void gatehouse_recorder_find_effect(const struct gatehouse_recorder *recorder, uint64_t task, struct gatehouse_recorder_death *death) {
    const struct gatehouse_recorder_image *image = death->image < GATEHOUSE_RECORDER_IMAGES ? &recorder->images[death->image] : NULL;
    const struct gatehouse_recorder_effect *only = NULL, *effect;
    uint32_t count = gatehouse_recorder_unlisted_effects(recorder);
    struct gatehouse_walk walk = {0, 0};
    while ((effect = gatehouse_next_effect(recorder, &walk)) != NULL) {
        const struct gatehouse_recorder_instance *instance = gatehouse_instance_of(recorder, effect);
        if (instance == NULL || (image != NULL && !gatehouse_uses(instance, image->plugin, image->digest))) { continue; }
        const bool is_it = task != 0 && effect->task == task;
        if (is_it || count == 0) { death->drain = walk.drain; }
        if (is_it) {
            death->effect = *effect;
            death->blame = GATEHOUSE_BLAME_RECORD;
            return;
        }
        only = effect;
        count++;
    }
    // Partitions without a record may have any number of them.
    if (image == NULL || recorder->unlisted_partitions > 0) { return; }
    death->effects_count = count;
    if (count == 1 && only != NULL) { death->effect = *only; }
}
