// SPDX-License-Identifier: Apache-2.0
//
// A plugin may write into the black box of its host while that goes on writing there: whatever stands in it, and whatever a host is to
// enter, nobody writes beyond it, and places that are lent are places in it.
//
// An input is a list of calls: a byte that says which, eight bytes of a number, and a text that ends with a zero.

#include "gatehouse_account.h"

#include "promise.h"
#include <string.h>
#include <sys/mman.h>

static struct gatehouse_box *box;
static size_t size;
// The task that runs here, which the runtime of Swift knows otherwise.
static void *task;
void *swift_task_getCurrent(void) { return task; }

// Whether memory of some size lies in the box.
static bool is_inside(const void *place, size_t bytes) {
    return (const char *)place >= (const char *)box && (const char *)place + bytes <= (const char *)box + size;
}

// Does what a host does with one number and one text.
static void call(uint8_t which, uint64_t number, const char *text) {
    struct gatehouse_box_drain *drain = gatehouse_box_drain(box);
    struct gatehouse_source source = {number, (uint32_t)number, (uint32_t)(number >> 32)};
    task = (void *)(uintptr_t)(which >> 4);
    switch (which % 16) {
    case 0: gatehouse_box_set_instance(box, number, text, text, text, number & 1); break;
    case 1: gatehouse_box_set_type(box, number, text); break;
    case 2: gatehouse_box_set_input(box, (uint32_t)number, number & 1, text); break;
    case 3: gatehouse_box_add_image(box, number, number + strlen(text), text, text); break;
    case 4: gatehouse_box_begin(drain, number, number >> 32, source); break;
    case 5: gatehouse_box_intercept(drain, number, source, number); break;
    case 6: gatehouse_box_enter(drain, number); break;
    case 7: {
        uint32_t place = gatehouse_box_begin_effect(drain, number & 0xffff, number >> 16);
        promise(place <= GATEHOUSE_BOX_EFFECTS, "a place behind the last");
        gatehouse_box_begin_work(drain, place);
        gatehouse_box_show_effect(drain, place);
        break;
    }
    case 8: gatehouse_box_end_effect(drain, (uint32_t)number % (GATEHOUSE_BOX_EFFECTS + 1)); break;
    case 9: {
        struct gatehouse_box_drain *lent = gatehouse_box_lend(box, true, (uint32_t)number);
        if (lent == NULL) break;
        promise(lent->is_unlisted || is_inside(lent, sizeof *lent), "a record beside the box");
        gatehouse_box_begin(lent, number, number >> 32, source);
        if (number & 1) gatehouse_box_take_back(box, true, lent);
        else if (lent->is_unlisted) gatehouse_box_take_back(box, true, lent);
        break;
    }
    case 10: {
        struct gatehouse_box_long_work work = gatehouse_box_begin_long_work(box, number);
        promise(work.place <= GATEHOUSE_BOX_LONG_WORKS, "a place behind the last");
        if (number & 1) gatehouse_box_end_long_work(box, work);
        break;
    }
    case 11: gatehouse_box_set_restarts(box, (uint32_t)number); break;
    case 12: gatehouse_box_ask(box); break;
    case 13: gatehouse_box_set_root(drain, number); break;
    // What a plugin writes.
    default: {
        const size_t length = strlen(text);
        const size_t where = number % size;
        if (where + length <= size) memcpy((char *)box + where, text, length);
    }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t count) {
    if (box == NULL) {
        size = gatehouse_box_bytes(true);
        const size_t room = (size + 4095) / 4096 * 4096;
        char *memory = mmap(NULL, room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        mprotect(memory + room, 4096, PROT_NONE);
        box = (struct gatehouse_box *)(memory + (room - size) / 64 * 64);
    }
    gatehouse_box_open(box, 0, "1");
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
    gatehouse_box_read_drain(box, 0, &account);
    gatehouse_box_read_suspects(box, &account);
    gatehouse_box_read_death(box, &account);
    madvise((void *)((uintptr_t)box / 4096 * 4096), size, MADV_DONTNEED);
    return 0;
}
