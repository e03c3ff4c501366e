// SPDX-License-Identifier: Apache-2.0
//
// A process that dies may have left anything in its flight recorder: who reads it reads nothing beyond it, and ends each text that it gives.
//
// An input is a list of places and what is written there: three bytes of a number, a byte of length, and that many bytes. The highest
// bit of the length makes the number one of a place in the record of a drain, where most is.

#include "gatehouse_account.h"

#include "promise.h"
#include <string.h>
#include <sys/mman.h>

static struct gatehouse_recorder *recorder;

// The task that runs here, which the runtime of Swift knows otherwise.
void *swift_task_getCurrent(void) { return recorder; }

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

// Reads all that there is to read of the flight recorder.
static void read_all(void) {
    struct gatehouse_account account;
    const uint32_t drains[] = {0, 1, 2, GATEHOUSE_RECORDER_PARTITIONS, GATEHOUSE_RECORDER_DRAINS, UINT32_MAX};
    for (size_t index = 0; index < sizeof drains / sizeof *drains; index++) {
        gatehouse_recorder_read_drain(recorder, drains[index], &account);
        look_at(&account);
        gatehouse_recorder_drain_at(recorder, drains[index]);
        gatehouse_recorder_partition_at(recorder, drains[index]);
    }
    gatehouse_recorder_read_suspects(recorder, &account);
    look_at(&account);
    if (gatehouse_recorder_read_death(recorder, &account)) look_at(&account);
    uint64_t numbers[8];
    promise(gatehouse_recorder_busy_instances(recorder, numbers, 8) <= 8, "more instances than there is room for");
    const uint64_t values[] = {0, 1, 2, 4095, 4096, 4097, UINT64_MAX, recorder->death.address, recorder->drains[0].work >> 8};
    for (size_t index = 0; index < sizeof values / sizeof *values; index++) {
        gatehouse_recorder_instance_of_task(recorder, values[index]);
        gatehouse_recorder_instance_of_image(recorder, values[index]);
        struct gatehouse_recorder_death death = recorder->death;
        gatehouse_recorder_find_effect(recorder, values[index], &death);
        char id[GATEHOUSE_NAME_BYTES + 1];
        gatehouse_recorder_instance_id(recorder, values[index], id);
        promise_end(id, sizeof id);
        gatehouse_recorder_has_input(recorder, (uint32_t)values[index]);
    }
    gatehouse_recorder_process(recorder);
    gatehouse_recorder_drain_here(recorder);
    gatehouse_recorder_only_drain(recorder);
    gatehouse_recorder_announced_end(recorder);
    gatehouse_recorder_has_long_work(recorder);
    gatehouse_recorder_restarts(recorder);
    gatehouse_recorder_is_stopping(recorder);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t count) {
    const size_t size = gatehouse_recorder_bytes(true);
    // With a page after it that nobody may touch.
    if (recorder == NULL) {
        const size_t room = (size + 4095) / 4096 * 4096;
        char *memory = mmap(NULL, room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        mprotect(memory + room, 4096, PROT_NONE);
        recorder = (struct gatehouse_recorder *)(memory + (room - size) / 64 * 64);
    }
    gatehouse_recorder_open(recorder, 0, "1");
    const size_t front = offsetof(struct gatehouse_recorder, drains);
    for (size_t place = 0; place + 4 <= count;) {
        size_t where = (size_t)input[place] | (size_t)input[place + 1] << 8 | (size_t)input[place + 2] << 16;
        const size_t length = input[place + 3] & 0x7f;
        where = input[place + 3] & 0x80 ? front + where % (2 * sizeof *recorder->drains) : where % front;
        place += 4;
        const size_t part = length < count - place ? length : count - place;
        if (where + part <= size) memcpy((char *)recorder + where, input + place, part);
        place += part;
    }
    read_all();
    madvise((void *)((uintptr_t)recorder / 4096 * 4096), size, MADV_DONTNEED);
    return 0;
}
