// SPDX-License-Identifier: Apache-2.0

// _dl_find_object and sigabbrev_np are extensions that the C library shows only on request.
#define _GNU_SOURCE

#include "gatehouse_blackbox.h"
#include "gatehouse_linux.h"

#include <dlfcn.h>
#include <signal.h>
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

// MARK: - Reading

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

// MARK: - Words

/// Text that grows as far as there is room.
struct text {
    char *bytes;
    size_t count;
    size_t room;
};

static void add(struct text *text, const char *part) {
    for (; *part != 0 && text->count < text->room; part++) { text->bytes[text->count++] = *part; }
}

static void add_number(struct text *text, uint64_t number, unsigned base) {
    char digits[24];
    size_t index = sizeof digits;
    digits[--index] = 0;
    do {
        digits[--index] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number > 0);
    add(text, digits + index);
}

/// Where in a plugin's work something happened.
static const char *step_words(uint32_t step) {
    switch (step) {
        case GATEHOUSE_STEP_INTERCEPT: return " in its interceptor";
        case GATEHOUSE_STEP_HANDLE: return " in its middleware";
        case GATEHOUSE_STEP_REDUCE: return " in its reducer";
        case GATEHOUSE_STEP_ANSWER: return " in what its middleware answered";
        case GATEHOUSE_STEP_GATE: return " in what it does when its gate moves";
        case GATEHOUSE_STEP_START: return " at its start";
        case GATEHOUSE_STEP_STOPPING: return " in its work at the end of the run";
        case GATEHOUSE_STEP_ASIDE: return " in an effect or on a thread of its own";
        case GATEHOUSE_STEP_EFFECT: return " in an effect";
        default: return "";
    }
}

static void add_signal(struct text *text, const struct gatehouse_account *account) {
    const char *name = account->signal > 0 ? gatehouse_signal_name(account->signal) : NULL;
    if (account->signal == 0) { return; }
    add(text, " died by ");
    if (name != NULL) {
        add(text, "SIG");
        add(text, name);
    } else {
        add(text, "signal ");
        add_number(text, (uint64_t)account->signal, 10);
    }
    if (account->is_sent) { add(text, ", which another process has sent"); }
    const bool has_address = account->signal == SIGSEGV || account->signal == SIGBUS;
    if (has_address && account->code > 0) {
        add(text, " at 0x");
        add_number(text, account->address, 16);
    }
}

static void add_plugin(struct text *text, const struct gatehouse_account *account) {
    add(text, account->plugin[0] != 0 ? "the plugin " : "a plugin that came late");
    add(text, account->plugin);
    if (account->instance[0] != 0 && strcmp(account->instance, account->plugin) != 0) {
        add(text, " (instance ");
        add(text, account->instance);
        add(text, ")");
    }
}

/// What led to it: the action in hand, or the one that has begun the effect.
static void add_action(struct text *text, const struct gatehouse_account *account) {
    const bool is_known = account->type[0] != 0;
    switch (account->step) {
        case GATEHOUSE_STEP_EFFECT:
            add(text, is_known ? ", begun by the action " : ", begun by an action of some time ago");
            break;
        case GATEHOUSE_STEP_ASIDE:
            add(text, "; its only effect then was begun by ");
            add(text, is_known ? "the action " : "an action of some time ago");
            break;
        default: add(text, is_known ? ", with the action " : ", with an action of a type that came late");
    }
    add(text, account->type);
    if (account->sequence > 0) {
        add(text, " (number ");
        add_number(text, account->sequence, 10);
    }
    if (account->line > 0) {
        add(text, account->sequence > 0 ? ", from " : " (from ");
        add(text, account->file);
        add(text, ":");
        add_number(text, account->line, 10);
    }
    if (account->sequence > 0 || account->line > 0) { add(text, ")"); }
}

size_t gatehouse_account_sentence(const struct gatehouse_account *account, char *bytes, size_t room) {
    struct text text = {bytes, 0, room};
    const bool is_nobody = account->blame == GATEHOUSE_BLAME_NOBODY;
    if (is_nobody || account->is_sent) {
        add(&text, "the process");
        add_signal(&text, account);
        if (!account->is_sent) { add(&text, " outside of all that is known of plugins"); }
        if (is_nobody) { return text.count; }
        add(&text, ", when ");
    }
    if (account->step == GATEHOUSE_STEP_NONE) { add(&text, "only "); }
    add_plugin(&text, account);
    if (account->step == GATEHOUSE_STEP_NONE) {
        add(&text, account->is_over ? " had work to do" : " has work to do");
    } else if (account->signal == 0 || account->is_sent) {
        add(&text, account->is_over ? " was" : " is");
    } else {
        add_signal(&text, account);
    }
    add(&text, step_words(account->step));
    if (account->has_action) {
        add_action(&text, account);
    } else if (account->effects_count > 1) {
        add(&text, "; it had ");
        add_number(&text, account->effects_count, 10);
        add(&text, " effects then");
    }
    return text.count;
}
