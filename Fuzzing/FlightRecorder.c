// SPDX-License-Identifier: Apache-2.0
//
// A plugin may write into the flight recorder of its host while that goes on writing there: whatever stands in it, and whatever a host is to
// enter, nobody writes beyond it, and places that are lent are places in it.
//
// An input is a list of calls: a byte that says which, eight bytes of a number, and a text that ends with a zero.

#include "gatehouse_account.h"

#include "promise.h"
#include <string.h>
#include <sys/mman.h>

static struct gatehouse_recorder *recorder;
static size_t size;
// The task that runs here, which the runtime of Swift knows otherwise.
static void *task;
void *swift_task_getCurrent(void) { return task; }

// Whether memory of some size lies in the flight recorder.
static bool is_inside(const void *place, size_t bytes) {
    return (const char *)place >= (const char *)recorder && (const char *)place + bytes <= (const char *)recorder + size;
}

// Does what a host does with one number and one text.
static void call(uint8_t which, uint64_t number, const char *text) {
    struct gatehouse_recorder_drain *drain = gatehouse_recorder_drain(recorder);
    struct gatehouse_source source = {number, (uint32_t)number, (uint32_t)(number >> 32)};
    task = (void *)(uintptr_t)(which >> 4);
    switch (which % 16) {
    case 0: gatehouse_recorder_set_instance(recorder, number, text, text, text, number & 1); break;
    case 1: gatehouse_recorder_set_type(recorder, number, text); break;
    case 2: gatehouse_recorder_set_input(recorder, (uint32_t)number, number & 1, text); break;
    case 3: gatehouse_recorder_add_image(recorder, number, number + strlen(text), text, text); break;
    case 4: gatehouse_recorder_begin(drain, number, number >> 32, source); break;
    case 5: gatehouse_recorder_intercept(drain, number, source, number); break;
    case 6: gatehouse_recorder_enter(drain, number); break;
    case 7: {
        uint32_t place = gatehouse_recorder_begin_effect(drain, number & 0xffff, number >> 16);
        promise(place <= GATEHOUSE_RECORDER_EFFECTS, "a place behind the last");
        gatehouse_recorder_begin_work(drain, place);
        gatehouse_recorder_show_effect(drain, place);
        break;
    }
    case 8: gatehouse_recorder_end_effect(drain, (uint32_t)number % (GATEHOUSE_RECORDER_EFFECTS + 1)); break;
    case 9: {
        struct gatehouse_recorder_drain *lent = gatehouse_recorder_lend(recorder, true, (uint32_t)number);
        if (lent == NULL) break;
        promise(lent->is_unlisted || is_inside(lent, sizeof *lent), "a record beside the flight recorder");
        gatehouse_recorder_begin(lent, number, number >> 32, source);
        if (number & 1) gatehouse_recorder_take_back(recorder, true, lent);
        else if (lent->is_unlisted) gatehouse_recorder_take_back(recorder, true, lent);
        break;
    }
    case 10: {
        struct gatehouse_recorder_long_work work = gatehouse_recorder_begin_long_work(recorder, number);
        promise(work.place <= GATEHOUSE_RECORDER_LONG_WORKS, "a place behind the last");
        if (number & 1) gatehouse_recorder_end_long_work(recorder, work);
        break;
    }
    case 11: gatehouse_recorder_set_restarts(recorder, (uint32_t)number); break;
    case 12: gatehouse_recorder_ask(recorder); break;
    case 13: gatehouse_recorder_set_root(drain, number); break;
    // What a plugin writes.
    default: {
        const size_t length = strlen(text);
        const size_t where = number % size;
        if (where + length <= size) memcpy((char *)recorder + where, text, length);
    }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t count) {
    if (recorder == NULL) {
        size = gatehouse_recorder_bytes(true);
        const size_t room = (size + 4095) / 4096 * 4096;
        char *memory = mmap(NULL, room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        mprotect(memory + room, 4096, PROT_NONE);
        recorder = (struct gatehouse_recorder *)(memory + (room - size) / 64 * 64);
    }
    gatehouse_recorder_open(recorder, 0, "1");
    for (size_t place = 0; place + 9 < count;) {
        uint64_t number;
        memcpy(&number, input + place + 1, 8);
        const char *text = (const char *)input + place + 9;
        const size_t length = strnlen(text, count - place - 9);
        char *copy = malloc(length + 1);
        memcpy(copy, text, length);
        copy[length] = 0;
        call(input[place], number, copy);
        free(copy);
        place += 9 + length + 1;
    }
    struct gatehouse_account account;
    gatehouse_recorder_read_drain(recorder, 0, &account);
    gatehouse_recorder_read_suspects(recorder, &account);
    gatehouse_recorder_read_death(recorder, &account);
    madvise((void *)((uintptr_t)recorder / 4096 * 4096), size, MADV_DONTNEED);
    return 0;
}
