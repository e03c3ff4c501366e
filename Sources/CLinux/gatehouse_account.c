// SPDX-License-Identifier: Apache-2.0

#include "gatehouse_account.h"

#include <string.h>

/// Copies a text that need not have an end.
static void copy(char *to, const char *from, size_t most) {
    size_t index = 0;
    while (index < most && from[index] != 0) {
        // One line stays one line, whatever was written there.
        to[index] = (unsigned char)from[index] < ' ' ? '?' : from[index];
        index++;
    }
    to[index] = 0;
}

void gatehouse_box_instance_id(const struct gatehouse_box *box, uint64_t number, char *id) {
    id[0] = 0;
    if (number < GATEHOUSE_BOX_INSTANCES) { copy(id, box->instances[number].id, GATEHOUSE_NAME_BYTES); }
}

static bool is_one(const struct gatehouse_box *box) {
    return box->magic == GATEHOUSE_BOX_MAGIC && box->form == GATEHOUSE_BOX_FORM;
}

int gatehouse_box_process(const struct gatehouse_box *box) { return is_one(box) ? box->process : 0; }

/// Names the type of an action, by its place.
static void read_type(const struct gatehouse_box *box, uint64_t type, struct gatehouse_account *account) {
    if (type < GATEHOUSE_BOX_TYPES) { copy(account->type, box->types[type], GATEHOUSE_TEXT_BYTES); }
}

/// Names the place that an action goes back to.
static void read_root(
    const struct gatehouse_box *box, struct gatehouse_source root, struct gatehouse_account *account) {
    const struct gatehouse_box_input *input = &box->inputs[root.origin % GATEHOUSE_BOX_INPUTS];
    if (input->name[0] == 0 || input->origin != root.origin) { return; }
    copy(account->file, input->name, GATEHOUSE_TEXT_BYTES);
    account->line = root.line;
    account->is_read_again = input->is_read_again;
}

/// Names the step and the instance of a record; false for a record of nothing.
static bool read_instance(const struct gatehouse_box *box, uint64_t work, struct gatehouse_account *account) {
    const uint64_t number = work >> 8;
    account->step = (uint32_t)(work & 0xff);
    account->blame = account->step == GATEHOUSE_STEP_NONE ? GATEHOUSE_BLAME_NOBODY : GATEHOUSE_BLAME_RECORD;
    if (account->step == GATEHOUSE_STEP_NONE) { return false; }
    if (number < GATEHOUSE_BOX_INSTANCES) {
        const struct gatehouse_box_instance *instance = &box->instances[number];
        copy(account->instance, instance->id, GATEHOUSE_NAME_BYTES);
        copy(account->plugin, instance->plugin, GATEHOUSE_NAME_BYTES);
        copy(account->digest, instance->digest, GATEHOUSE_NAME_BYTES);
    }
    return true;
}

/// Names the action that has begun an effect.
static void read_beginning(
    const struct gatehouse_box *box, const struct gatehouse_box_effect *effect, struct gatehouse_account *account) {
    if (effect->sequence == 0) { return; }
    account->has_action = 1;
    account->sequence = effect->sequence;
    account->input = effect->input;
    read_type(box, effect->type, account);
    read_root(box, effect->root, account);
}

/// Names the instance and the action of a record.
static void read_work(const struct gatehouse_box *box, uint64_t work, struct gatehouse_account *account) {
    if (!read_instance(box, work, account)) { return; }
    // At the start and at the end of a run no action is in hand.
    if (account->step == GATEHOUSE_STEP_START || account->step == GATEHOUSE_STEP_STOPPING) { return; }
    const struct gatehouse_box_drain *drain = &box->drain;
    const bool is_intercepted = account->step == GATEHOUSE_STEP_INTERCEPT;
    if (!is_intercepted) { account->sequence = gatehouse_box_sequence(drain); }
    if (!is_intercepted && account->sequence == 0) { return; }
    account->has_action = 1;
    const uint64_t type =
        is_intercepted ? drain->intercepted_type : __atomic_load_n(&drain->type, __ATOMIC_RELAXED);
    read_type(box, type, account);
    account->input =
        is_intercepted ? drain->intercepted_input : __atomic_load_n(&drain->input, __ATOMIC_RELAXED);
    const struct gatehouse_source root = is_intercepted
        ? drain->intercepted_root
        : drain->roots[account->sequence & (GATEHOUSE_BOX_ROOTS - 1)];
    read_root(box, root, account);
}

/// Whether an instance is a use of the library with an id and a digest.
static bool is_use(const struct gatehouse_box_instance *instance, const char *plugin, const char *digest) {
    return instance->id[0] != 0 && memcmp(instance->digest, digest, GATEHOUSE_NAME_BYTES) == 0
        && memcmp(instance->plugin, plugin, GATEHOUSE_NAME_BYTES) == 0;
}

/// The instance of an effect; NULL for a place that is free, or one that is not known.
static const struct gatehouse_box_instance *instance_of(
    const struct gatehouse_box *box, const struct gatehouse_box_effect *effect) {
    const uint64_t number = __atomic_load_n(&effect->work, __ATOMIC_ACQUIRE) >> 8;
    const bool is_free = effect->work == 0 || number >= GATEHOUSE_BOX_INSTANCES;
    return is_free || box->instances[number].id[0] == 0 ? NULL : &box->instances[number];
}

void gatehouse_box_find_effect(const struct gatehouse_box *box, uint64_t task, struct gatehouse_box_death *death) {
    const struct gatehouse_box_image *image = death->image < GATEHOUSE_BOX_IMAGES ? &box->images[death->image] : NULL;
    const struct gatehouse_box_effect *only = NULL;
    uint32_t count = (uint32_t)__atomic_load_n(&box->drain.unlisted_effects, __ATOMIC_RELAXED);
    for (size_t place = 0; place < GATEHOUSE_BOX_EFFECTS; place++) {
        const struct gatehouse_box_effect *effect = &box->drain.effects[place];
        const struct gatehouse_box_instance *instance = instance_of(box, effect);
        if (instance == NULL || (image != NULL && !is_use(instance, image->plugin, image->digest))) { continue; }
        if (task != 0 && effect->task == task) {
            death->effect = *effect;
            death->blame = GATEHOUSE_BLAME_RECORD;
            return;
        }
        only = effect;
        count++;
    }
    if (image == NULL) { return; }
    death->effects_count = count;
    if (count == 1 && only != NULL) { death->effect = *only; }
}

/// Names the plugin of an image, and its instance where there is only one.
static void read_image(const struct gatehouse_box *box, uint64_t index, struct gatehouse_account *account) {
    if (index >= GATEHOUSE_BOX_IMAGES) { return; }
    const struct gatehouse_box_image *image = &box->images[index];
    account->blame = GATEHOUSE_BLAME_FRAMES;
    account->step = GATEHOUSE_STEP_ASIDE;
    copy(account->plugin, image->plugin, GATEHOUSE_NAME_BYTES);
    copy(account->digest, image->digest, GATEHOUSE_NAME_BYTES);
    size_t count = 0;
    for (size_t number = 0; number < GATEHOUSE_BOX_INSTANCES; number++) {
        const struct gatehouse_box_instance *instance = &box->instances[number];
        if (!is_use(instance, image->plugin, image->digest)) { continue; }
        if (count++ == 0) { copy(account->instance, instance->id, GATEHOUSE_NAME_BYTES); }
    }
    if (count != 1) { account->instance[0] = 0; }
}

void gatehouse_box_read_suspects(const struct gatehouse_box *box, struct gatehouse_account *account) {
    memset(account, 0, sizeof *account);
    account->is_over = 1;
    if (!is_one(box)) { return; }
    read_work(box, gatehouse_box_work(&box->drain), account);
    const bool drains = account->blame != GATEHOUSE_BLAME_NOBODY;
    const uint64_t number = gatehouse_box_work(&box->drain) >> 8;
    const struct gatehouse_box_instance *suspect =
        drains && number < GATEHOUSE_BOX_INSTANCES ? &box->instances[number] : NULL;
    const struct gatehouse_box_effect *only = NULL;
    uint32_t count = (uint32_t)box->drain.unlisted_effects;
    bool is_one_plugin = count == 0;
    for (size_t place = 0; place < GATEHOUSE_BOX_EFFECTS; place++) {
        const struct gatehouse_box_effect *effect = &box->drain.effects[place];
        const struct gatehouse_box_instance *instance = instance_of(box, effect);
        if (instance == NULL) { continue; }
        is_one_plugin = is_one_plugin && (suspect == NULL || is_use(instance, suspect->plugin, suspect->digest));
        suspect = instance;
        only = effect;
        count++;
    }
    // What only the drain can have done is read.
    if (count == 0) { return; }
    memset(account, 0, sizeof *account);
    account->is_over = 1;
    if (!is_one_plugin || suspect == NULL) { return; }
    account->blame = GATEHOUSE_BLAME_RECORD;
    if (count == 1 && !drains && only != NULL) {
        read_instance(box, only->work, account);
        read_beginning(box, only, account);
        return;
    }
    copy(account->plugin, suspect->plugin, GATEHOUSE_NAME_BYTES);
    copy(account->digest, suspect->digest, GATEHOUSE_NAME_BYTES);
}

void gatehouse_box_read_drain(const struct gatehouse_box *box, struct gatehouse_account *account) {
    memset(account, 0, sizeof *account);
    if (is_one(box)) { read_work(box, gatehouse_box_work(&box->drain), account); }
}

bool gatehouse_box_read_death(const struct gatehouse_box *box, struct gatehouse_account *account) {
    memset(account, 0, sizeof *account);
    const struct gatehouse_box_death *death = &box->death;
    if (!is_one(box) || __atomic_load_n(&death->is_told, __ATOMIC_ACQUIRE) != 1) { return false; }
    const struct gatehouse_box_effect *effect = death->effect.work == 0 ? NULL : &death->effect;
    if (death->blame == GATEHOUSE_BLAME_RECORD && effect == NULL) { read_work(box, death->work, account); }
    if (death->blame == GATEHOUSE_BLAME_RECORD && effect != NULL) { read_instance(box, effect->work, account); }
    if (death->blame == GATEHOUSE_BLAME_FRAMES) {
        read_image(box, death->image, account);
        account->effects_count = death->effects_count;
        if (effect != NULL) {
            copy(account->instance, box->instances[(effect->work >> 8) % GATEHOUSE_BOX_INSTANCES].id, GATEHOUSE_NAME_BYTES);
        }
    }
    if (effect != NULL) { read_beginning(box, effect, account); }
    account->signal = death->signal;
    account->code = death->code;
    account->is_sent = death->is_sent;
    account->is_over = 1;
    account->address = death->address;
    return true;
}
