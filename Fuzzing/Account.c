// SPDX-License-Identifier: Apache-2.0
//
// A process that dies may have left anything in its black box: who reads it reads nothing beyond it, and ends each text that it gives.
//
// An input is a list of places and what is written there: three bytes of a number, a byte of length, and that many bytes. The highest
// bit of the length makes the number one of a place in the record of a drain, where most is.

#include "gatehouse_account.h"

#include "promise.h"
#include <string.h>
#include <sys/mman.h>

static struct gatehouse_box *box;

// The task that runs here, which the runtime of Swift knows otherwise.
void *swift_task_getCurrent(void) { return box; }

// Whether a text has an end within its room.
static void promise_end(const char *text, size_t room) { promise(memchr(text, 0, room) != NULL, "a text without an end"); }

// Looks at an account, and makes a sentence of it in rooms of all sizes.
static void look_at(const struct gatehouse_account *account) {
    promise_end(account->file, sizeof account->file);
    promise_end(account->type, sizeof account->type);
    promise_end(account->instance, sizeof account->instance);
    promise_end(account->plugin, sizeof account->plugin);
    promise_end(account->digest, sizeof account->digest);
    for (size_t room = 0; room <= 1024; room = room * 2 + 1) {
        char *text = malloc(room + 1);
        promise(gatehouse_account_sentence(account, text, room) <= room, "a sentence longer than its room");
        free(text);
    }
}

// Reads all that there is to read of the box.
static void read_all(void) {
    struct gatehouse_account account;
    const uint32_t drains[] = {0, 1, 2, GATEHOUSE_BOX_PARTITIONS, GATEHOUSE_BOX_DRAINS, UINT32_MAX};
    for (size_t index = 0; index < sizeof drains / sizeof *drains; index++) {
        gatehouse_box_read_drain(box, drains[index], &account);
        look_at(&account);
        gatehouse_box_drain_at(box, drains[index]);
        gatehouse_box_partition_at(box, drains[index]);
    }
    gatehouse_box_read_suspects(box, &account);
    look_at(&account);
    if (gatehouse_box_read_death(box, &account)) look_at(&account);
    uint64_t numbers[8];
    promise(gatehouse_box_busy_instances(box, numbers, 8) <= 8, "more instances than there is room for");
    const uint64_t values[] = {0, 1, 2, 4095, 4096, 4097, UINT64_MAX, box->death.address, box->drains[0].work >> 8};
    for (size_t index = 0; index < sizeof values / sizeof *values; index++) {
        gatehouse_box_instance_of_task(box, values[index]);
        gatehouse_box_instance_of_image(box, values[index]);
        struct gatehouse_box_death death = box->death;
        gatehouse_box_find_effect(box, values[index], &death);
        char id[GATEHOUSE_NAME_BYTES + 1];
        gatehouse_box_instance_id(box, values[index], id);
        promise_end(id, sizeof id);
        gatehouse_box_has_input(box, (uint32_t)values[index]);
    }
    gatehouse_box_process(box);
    gatehouse_box_drain_here(box);
    gatehouse_box_only_drain(box);
    gatehouse_box_announced_end(box);
    gatehouse_box_has_long_work(box);
    gatehouse_box_restarts(box);
    gatehouse_box_is_stopping(box);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t count) {
    const size_t size = gatehouse_box_bytes(true);
    // With a page behind it that nobody may touch.
    if (box == NULL) {
        const size_t room = (size + 4095) / 4096 * 4096;
        char *memory = mmap(NULL, room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        mprotect(memory + room, 4096, PROT_NONE);
        box = (struct gatehouse_box *)(memory + (room - size) / 64 * 64);
    }
    gatehouse_box_open(box, 0, "1");
    const size_t front = offsetof(struct gatehouse_box, drains);
    for (size_t place = 0; place + 4 <= count;) {
        size_t where = (size_t)input[place] | (size_t)input[place + 1] << 8 | (size_t)input[place + 2] << 16;
        const size_t length = input[place + 3] & 0x7f;
        where = input[place + 3] & 0x80 ? front + where % (2 * sizeof *box->drains) : where % front;
        place += 4;
        const size_t part = length < count - place ? length : count - place;
        if (where + part <= size) memcpy((char *)box + where, input + place, part);
        place += part;
    }
    read_all();
    madvise((void *)((uintptr_t)box / 4096 * 4096), size, MADV_DONTNEED);
    return 0;
}
