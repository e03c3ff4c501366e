// SPDX-License-Identifier: Apache-2.0

#include "gatehouse_account.h"
#include "gatehouse_linux.h"
#include "gatehouse_places.h"

#include <signal.h>
#include <string.h>

/// A text that grows as far as there is room.
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

/// The part of a plugin's work where something happened.
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
        case GATEHOUSE_STEP_CANCEL: return " when its effects were cancelled";
        case GATEHOUSE_STEP_PERFORM: return " in work that had waited";
        case GATEHOUSE_STEP_THREAD: return " on a thread of its own";
        case GATEHOUSE_STEP_MIGRATE: return " when it read state of another version";
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
    if (account->is_sent) { add(text, ", which another process sent"); }
    const bool has_address = account->signal == SIGSEGV || account->signal == SIGBUS;
    if (has_address && account->code > 0) {
        add(text, " at 0x");
        add_number(text, account->address, 16);
    }
}

/// Adds how it ended without a signal.
static void add_end(struct text *text, const struct gatehouse_account *account) {
    switch (account->end) {
        case GATEHOUSE_END_EXIT:
            add(text, " called exit(");
            if (account->status < 0) { add(text, "-"); }
            add_number(text, account->status < 0 ? -(uint64_t)account->status : (uint64_t)account->status, 10);
            add(text, ")");
            break;
        case GATEHOUSE_END_MAIN_THREAD: add(text, " ended the main thread"); break;
        case GATEHOUSE_END_OTHER_THREAD: add(text, " ended the thread it was called on"); break;
        case GATEHOUSE_END_DESCRIPTORS: add(text, " closed descriptors of the host"); break;
        default: break;
    }
}

/// Adds the partition that it was in.
static void add_partition(struct text *text, const struct gatehouse_account *account) {
    add(text, " in partition ");
    add_number(text, account->partition, 10);
}

/// Adds where else it may have been.
static void add_unlisted(struct text *text, const struct gatehouse_account *account) {
    const bool is_one = account->unlisted_partitions == 1;
    if (account->unlisted_partitions == 0) { return; }
    add(text, "; it may have been in ");
    add(text, is_one ? "a partition" : "one of ");
    if (!is_one) { add_number(text, account->unlisted_partitions, 10); }
    add(text, is_one ? " for which the flight recorder has no room" : " partitions for which the flight recorder has no room");
}

static void add_plugin(struct text *text, const struct gatehouse_account *account) {
    add(text, account->plugin[0] != 0 ? "the plugin " : "a plugin that came late");
    add(text, account->plugin);
    if (account->instance[0] != 0 && strcmp(account->instance, account->plugin) != 0) {
        add(text, " (instance ");
        add(text, account->instance);
        add(text, ")");
    }
    const bool is_known = account->store == GATEHOUSE_STORE_PARTITION && account->step != GATEHOUSE_STEP_ASIDE;
    if (is_known) { add_partition(text, account); }
}

/// Adds the cause: the current action, or the one that began the effect.
static void add_action(struct text *text, const struct gatehouse_account *account) {
    const bool is_known = account->type[0] != 0;
    switch (account->step) {
        case GATEHOUSE_STEP_EFFECT:
        case GATEHOUSE_STEP_PERFORM:
            add(text, is_known ? ", begun by the action " : ", begun by an action of some time ago");
            break;
        case GATEHOUSE_STEP_ASIDE:
            add(text, "; its only effect then");
            if (account->store == GATEHOUSE_STORE_PARTITION) {
                add(text, ",");
                add_partition(text, account);
                add(text, ",");
            }
            add(text, " was begun by ");
            add(text, is_known ? "the action " : "an action of some time ago");
            break;
        default: add(text, is_known ? ", with the action " : ", with an action of a type that is no longer known");
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

/// The maximum length of a function name in a sentence.
enum { most_function_bytes = 100 };

void gatehouse_account_set_place(struct gatehouse_account *account, const struct gatehouse_place *place) {
    // The last byte is for the terminating zero.
    struct text text = {account->place, 0, sizeof account->place - 1};
    if (place->line > 0) {
        add(&text, place->file);
        add(&text, ":");
        add_number(&text, place->line, 10);
    } else {
        if (place->function[0] != 0 && strlen(place->function) <= most_function_bytes) {
            add(&text, place->function);
            add(&text, " in ");
        }
        add(&text, place->library);
        add(&text, " + 0x");
        add_number(&text, place->offset, 16);
    }
    account->place[text.count] = 0;
}

/// Adds the source line where it happened.
static void add_place(struct text *text, const struct gatehouse_account *account) {
    if (account->place[0] == 0) { return; }
    add(text, " (");
    add(text, account->place);
    add(text, ")");
}

size_t gatehouse_account_sentence(const struct gatehouse_account *account, char *bytes, size_t room) {
    struct text text = {bytes, 0, room};
    const bool is_nobody = account->blame == GATEHOUSE_BLAME_NOBODY;
    if (is_nobody || account->is_sent) {
        add(&text, "the process");
        add_signal(&text, account);
        // They were closed earlier; the end does not reveal by whom.
        if (account->end == GATEHOUSE_END_DESCRIPTORS) {
            add(&text, " can no longer use its own descriptors: they were closed");
            return text.count;
        }
        add_end(&text, account);
        if (!account->is_sent) { add(&text, " outside of all known plugin code"); }
        if (is_nobody) {
            add_place(&text, account);
            add_unlisted(&text, account);
            return text.count;
        }
        add(&text, ", when ");
    }
    if (account->step == GATEHOUSE_STEP_NONE) { add(&text, "only "); }
    add_plugin(&text, account);
    if (account->step == GATEHOUSE_STEP_NONE) {
        add(&text, account->is_over ? " had work to do" : " has work to do");
    } else if (account->end != GATEHOUSE_END_SIGNAL) {
        add_end(&text, account);
    } else if (account->signal == 0 || account->is_sent) {
        add(&text, account->is_over ? " was" : " is");
    } else {
        add_signal(&text, account);
    }
    add(&text, step_words(account->step));
    add_place(&text, account);
    if (account->has_action) {
        add_action(&text, account);
    } else if (account->effects_count > 1) {
        add(&text, "; it had ");
        add_number(&text, account->effects_count, 10);
        add(&text, " effects then");
    }
    add_unlisted(&text, account);
    return text.count;
}
