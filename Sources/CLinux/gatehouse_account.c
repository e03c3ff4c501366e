// SPDX-License-Identifier: Apache-2.0

#include "gatehouse_running_effects.h"
#include "gatehouse_texts.h"

void gatehouse_recorder_instance_id(const struct gatehouse_recorder *recorder, uint64_t number, char *id) {
    id[0] = 0;
    if (number < GATEHOUSE_RECORDER_INSTANCES) { copy_line(id, recorder->instances[number].id, GATEHOUSE_NAME_BYTES); }
}

static bool is_one(const struct gatehouse_recorder *recorder) {
    return recorder->magic == GATEHOUSE_RECORDER_MAGIC && recorder->form == GATEHOUSE_RECORDER_FORM;
}

int gatehouse_recorder_process(const struct gatehouse_recorder *recorder) { return is_one(recorder) ? recorder->process : 0; }

/// Reads the type of an action, by its place; leaves it empty where another type has taken the room.
static void read_type(const struct gatehouse_recorder *recorder, uint64_t place, struct gatehouse_account *account) {
    const struct gatehouse_recorder_type *type = &recorder->types[place % GATEHOUSE_RECORDER_TYPES];
    if (__atomic_load_n(&type->place, __ATOMIC_ACQUIRE) == place) { copy_line(account->type, type->name, GATEHOUSE_TEXT_BYTES); }
}

/// Reads the place of the input that an action goes back to.
static void read_root(
    const struct gatehouse_recorder *recorder, struct gatehouse_source root, struct gatehouse_account *account) {
    const struct gatehouse_recorder_input *input = &recorder->inputs[root.origin % GATEHOUSE_RECORDER_INPUTS];
    if (input->name[0] == 0 || input->origin != root.origin) { return; }
    copy_line(account->file, input->name, GATEHOUSE_TEXT_BYTES);
    account->line = root.line;
    account->is_read_again = input->is_read_again;
}

/// Reads the store that a drain belongs to.
static void read_store(const struct gatehouse_recorder *recorder, uint32_t number, struct gatehouse_account *account) {
    const int64_t partition = gatehouse_recorder_partition_at(recorder, number);
    const uint32_t known = partition < 0 ? GATEHOUSE_STORE_SOME_PARTITION : GATEHOUSE_STORE_PARTITION;
    account->store = number == 0 ? GATEHOUSE_STORE_HOST : known;
    account->partition = partition < 0 ? 0 : (uint32_t)partition;
}

/// Reads the step and the instance of a record; returns false for an empty one.
static bool read_instance(const struct gatehouse_recorder *recorder, uint64_t work, struct gatehouse_account *account) {
    const uint64_t number = work >> 8;
    account->step = (uint32_t)(work & 0xff);
    account->blame = account->step == GATEHOUSE_STEP_NONE ? GATEHOUSE_BLAME_NOBODY : GATEHOUSE_BLAME_RECORD;
    if (account->step == GATEHOUSE_STEP_NONE) { return false; }
    if (number < GATEHOUSE_RECORDER_INSTANCES) {
        const struct gatehouse_recorder_instance *instance = &recorder->instances[number];
        copy_line(account->instance, instance->id, GATEHOUSE_NAME_BYTES);
        copy_line(account->plugin, instance->plugin, GATEHOUSE_NAME_BYTES);
        copy_line(account->digest, instance->digest, GATEHOUSE_NAME_BYTES);
    }
    return true;
}

/// Reads the action that began an effect.
static void read_beginning(
    const struct gatehouse_recorder *recorder, const struct gatehouse_recorder_effect *effect, struct gatehouse_account *account) {
    if (effect->sequence == 0) { return; }
    account->has_action = 1;
    account->sequence = effect->sequence;
    account->input = effect->input;
    read_type(recorder, effect->type, account);
    read_root(recorder, effect->root, account);
}

/// Whether the current or last action of the drain is related to a step.
static bool has_action(uint32_t step) {
    switch (step) {
        case GATEHOUSE_STEP_START:
        case GATEHOUSE_STEP_STOPPING:
        case GATEHOUSE_STEP_CANCEL:
        case GATEHOUSE_STEP_THREAD:
        case GATEHOUSE_STEP_MIGRATE: return false;
        default: return true;
    }
}

/// Reads the instance and the action of the record of a drain.
static void read_work(
    const struct gatehouse_recorder *recorder, uint32_t number, uint64_t work, struct gatehouse_account *account) {
    const struct gatehouse_recorder_drain *drain = gatehouse_recorder_drain_at(recorder, number);
    if (drain == NULL || !read_instance(recorder, work, account)) { return; }
    read_store(recorder, number, account);
    if (!has_action(account->step)) { return; }
    // Neither step belongs to the current action.
    const bool is_intercepted = account->step == GATEHOUSE_STEP_INTERCEPT || account->step == GATEHOUSE_STEP_PERFORM;
    if (!is_intercepted) { account->sequence = gatehouse_recorder_sequence(drain); }
    if (!is_intercepted && account->sequence == 0) { return; }
    account->has_action = 1;
    const uint64_t type =
        is_intercepted ? drain->intercepted_type : __atomic_load_n(&drain->type, __ATOMIC_RELAXED);
    read_type(recorder, type, account);
    account->input =
        is_intercepted ? drain->intercepted_input : __atomic_load_n(&drain->input, __ATOMIC_RELAXED);
    const struct gatehouse_source root = is_intercepted
        ? drain->intercepted_root
        : drain->roots[account->sequence & (GATEHOUSE_RECORDER_ROOTS - 1)];
    read_root(recorder, root, account);
}

/// Sets the store of a plugin whose store is unknown, if it runs in partitions.
static void read_scope(const struct gatehouse_recorder_instance *instance, struct gatehouse_account *account) {
    if (instance->is_in_partitions) { account->store = GATEHOUSE_STORE_SOME_PARTITION; }
}

/// Reads the plugin of an image, and its instance if there is only one.
static void read_image(const struct gatehouse_recorder *recorder, uint64_t index, struct gatehouse_account *account) {
    if (index >= GATEHOUSE_RECORDER_IMAGES) { return; }
    const struct gatehouse_recorder_image *image = &recorder->images[index];
    account->blame = GATEHOUSE_BLAME_FRAMES;
    account->step = GATEHOUSE_STEP_ASIDE;
    copy_line(account->plugin, image->plugin, GATEHOUSE_NAME_BYTES);
    copy_line(account->digest, image->digest, GATEHOUSE_NAME_BYTES);
    size_t count = 0;
    for (size_t number = 0; number < GATEHOUSE_RECORDER_INSTANCES; number++) {
        const struct gatehouse_recorder_instance *instance = &recorder->instances[number];
        if (!gatehouse_uses(instance, image->plugin, image->digest)) { continue; }
        if (count++ == 0) { copy_line(account->instance, instance->id, GATEHOUSE_NAME_BYTES); }
        read_scope(instance, account);
    }
    if (count != 1) { account->instance[0] = 0; }
}

/// The drains and effects whose code may have run.
struct suspects {
    /// One of the instances; NULL for none, or an unknown one.
    const struct gatehouse_recorder_instance *instance;
    /// Whether all instances use the same plugin.
    bool is_one_plugin;
    /// The number of drains and of effects.
    uint32_t drains, effects;
    /// The last drain, and the last effect with its drain.
    uint32_t drain, effect_drain;
    const struct gatehouse_recorder_effect *effect;
};

/// Adds one.
static void add_suspect(struct suspects *suspects, const struct gatehouse_recorder_instance *instance) {
    const bool is_first = suspects->drains + suspects->effects == 0;
    const struct gatehouse_recorder_instance *other = suspects->instance;
    if (!is_first) {
        suspects->is_one_plugin = suspects->is_one_plugin && instance != NULL && other != NULL
            && gatehouse_uses(instance, other->plugin, other->digest);
    }
    suspects->instance = instance;
}

/// Finds all of them.
static struct suspects all_suspects(const struct gatehouse_recorder *recorder) {
    struct suspects suspects = {.is_one_plugin = true};
    for (uint32_t number = 0; number < GATEHOUSE_RECORDER_DRAINS; number++) {
        const struct gatehouse_recorder_drain *drain = gatehouse_recorder_drain_at(recorder, number);
        const uint64_t work = drain == NULL ? 0 : gatehouse_recorder_work(drain);
        if ((work & 0xff) == GATEHOUSE_STEP_NONE) { continue; }
        add_suspect(&suspects, work >> 8 < GATEHOUSE_RECORDER_INSTANCES ? &recorder->instances[work >> 8] : NULL);
        suspects.drain = number;
        suspects.drains++;
    }
    const struct gatehouse_recorder_effect *effect;
    struct gatehouse_walk walk = {0, 0};
    while ((effect = gatehouse_next_effect(recorder, &walk)) != NULL) {
        add_suspect(&suspects, gatehouse_instance_of(recorder, effect));
        suspects.effect = effect;
        suspects.effect_drain = walk.drain;
        suspects.effects++;
    }
    return suspects;
}

/// Reads an effect.
static void read_effect(
    const struct gatehouse_recorder *recorder, uint32_t drain, const struct gatehouse_recorder_effect *effect,
    struct gatehouse_account *account) {
    read_instance(recorder, effect->work, account);
    read_store(recorder, drain, account);
    read_beginning(recorder, effect, account);
}

/// Whether the current action of the only drain began the only effect.
static bool is_begun_in_hand(const struct gatehouse_recorder *recorder, const struct suspects *suspects) {
    struct gatehouse_account drain;
    memset(&drain, 0, sizeof drain);
    read_work(recorder, suspects->drain, gatehouse_recorder_work(&recorder->drains[suspects->drain]), &drain);
    return drain.has_action && drain.sequence > 0 && suspects->drain == suspects->effect_drain
        && drain.sequence == suspects->effect->sequence;
}

void gatehouse_recorder_read_suspects(const struct gatehouse_recorder *recorder, struct gatehouse_account *account) {
    memset(account, 0, sizeof *account);
    account->is_over = 1;
    // Code that is not listed may be any plugin's.
    if (!is_one(recorder) || recorder->unlisted_partitions > 0 || gatehouse_recorder_unlisted_effects(recorder) > 0) { return; }
    const struct suspects suspects = all_suspects(recorder);
    if (suspects.drains == 1 && suspects.effects == 0) {
        read_work(recorder, suspects.drain, gatehouse_recorder_work(&recorder->drains[suspects.drain]), account);
        return;
    }
    if (!suspects.is_one_plugin || suspects.instance == NULL) { return; }
    if (suspects.drains == 0 && suspects.effects == 1) {
        read_effect(recorder, suspects.effect_drain, suspects.effect, account);
        return;
    }
    account->blame = GATEHOUSE_BLAME_RECORD;
    copy_line(account->plugin, suspects.instance->plugin, GATEHOUSE_NAME_BYTES);
    copy_line(account->digest, suspects.instance->digest, GATEHOUSE_NAME_BYTES);
    read_scope(suspects.instance, account);
    if (suspects.drains == 1 && suspects.effects == 1 && is_begun_in_hand(recorder, &suspects)) {
        read_beginning(recorder, suspects.effect, account);
    }
}

void gatehouse_recorder_read_drain(const struct gatehouse_recorder *recorder, uint32_t drain, struct gatehouse_account *account) {
    memset(account, 0, sizeof *account);
    const struct gatehouse_recorder_drain *record = is_one(recorder) ? gatehouse_recorder_drain_at(recorder, drain) : NULL;
    if (record != NULL) { read_work(recorder, drain, gatehouse_recorder_work(record), account); }
}

bool gatehouse_recorder_is_dying(const struct gatehouse_recorder *recorder) {
    return __atomic_load_n(&recorder->death.is_told, __ATOMIC_ACQUIRE) == 1;
}

bool gatehouse_recorder_read_death(const struct gatehouse_recorder *recorder, struct gatehouse_account *account) {
    memset(account, 0, sizeof *account);
    const struct gatehouse_recorder_death *death = &recorder->death;
    if (!is_one(recorder) || __atomic_load_n(&death->is_told, __ATOMIC_ACQUIRE) != 1) { return false; }
    const struct gatehouse_recorder_effect *effect = death->effect.work == 0 ? NULL : &death->effect;
    switch (death->blame) {
        case GATEHOUSE_BLAME_RECORD:
            if (effect == NULL) { read_work(recorder, death->drain, death->work, account); }
            break;
        case GATEHOUSE_BLAME_FRAMES:
            read_image(recorder, death->image, account);
            account->effects_count = death->effects_count;
            if (account->store == GATEHOUSE_STORE_HOST) { break; }
            account->unlisted_partitions = recorder->unlisted_partitions;
            break;
        default: account->unlisted_partitions = death->is_sent ? 0 : recorder->unlisted_partitions;
    }
    if (effect != NULL) {
        const uint32_t step = account->step;
        read_effect(recorder, death->drain, effect, account);
        // The frames only show that it may have been this effect.
        account->blame = death->blame;
        if (death->blame == GATEHOUSE_BLAME_FRAMES) { account->step = step; }
    }
    // A thread that a plugin made, about which nothing else is known.
    if (effect == NULL && account->blame != GATEHOUSE_BLAME_RECORD && death->owner > 0) {
        const uint32_t unlisted = account->unlisted_partitions;
        read_instance(recorder, (death->owner - 1) << 8 | GATEHOUSE_STEP_THREAD, account);
        if (death->owner - 1 < GATEHOUSE_RECORDER_INSTANCES) { read_scope(&recorder->instances[death->owner - 1], account); }
        account->unlisted_partitions = account->store == GATEHOUSE_STORE_HOST ? 0 : unlisted;
        account->effects_count = 0;
    }
    account->end = death->end;
    account->status = death->status;
    account->signal = death->signal;
    account->code = death->code;
    account->is_sent = death->is_sent;
    account->is_over = 1;
    account->address = death->address;
    return true;
}
