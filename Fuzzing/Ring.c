// SPDX-License-Identifier: Apache-2.0
//
// A worker may write what it likes into its file of a ring, at any time: whatever stands there, its host reads and writes within the two
// files, takes and puts no more than it asked for, and says from then on that the other side has broken the rules once it has seen it.
//
// An input is a list of steps: a byte that says which, and eight bytes of a number.

#include "gatehouse_ring.h"

#include "promise.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { capacity = 4096 };

// The files as each side has them mapped: the host its own for writing and the worker's for reading, and the worker both ways.
static void *of_host;
static const void *of_worker;
static uint64_t *written_by_worker;

static void prepare(void) {
    const int host = gatehouse_ring_create("host", capacity), worker = gatehouse_ring_create("worker", capacity);
    promise(host >= 0 && worker >= 0, "a file cannot be created");
    // As a worker would that keeps a map of its own from before the seal.
    written_by_worker = mmap(NULL, GATEHOUSE_RING_HEADER + capacity, PROT_READ | PROT_WRITE, MAP_SHARED, worker, 0);
    void *sealed;
    promise(written_by_worker != MAP_FAILED, "a file cannot be mapped");
    promise(gatehouse_ring_map_own(host, capacity, &of_host) == 0, "the own file cannot be mapped");
    promise(gatehouse_ring_map_own(worker, capacity, &sealed) == 0, "the own file of a worker cannot be mapped");
    promise(gatehouse_ring_map_other(worker, capacity, &of_worker) == 0, "the file of a worker cannot be mapped");
    promise(ftruncate(worker, 0) != 0, "a file that is mapped here can be cut");
    close(host);
    close(worker);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    if (of_host == NULL) { prepare(); }
    memset(of_host, 0, GATEHOUSE_RING_HEADER + capacity);
    memset(written_by_worker, 0, GATEHOUSE_RING_HEADER + capacity);
    struct gatehouse_ring_writer writer = {.own = of_host, .other = of_worker, .capacity = capacity};
    struct gatehouse_ring_reader reader = {.own = of_host, .other = of_worker, .capacity = capacity};
    struct gatehouse_bell bell = {0};
    uint8_t content[2 * capacity];
    memset(content, 7, sizeof content);
    for (; count >= 9; bytes += 9, count -= 9) {
        uint64_t number;
        memcpy(&number, bytes + 1, sizeof number);
        const size_t room = (size_t)(number % (sizeof content + 1));
        switch (bytes[0] % 6) {
        case 0:
            // Any word of the header or the data.
            written_by_worker[(number >> 32) % ((GATEHOUSE_RING_HEADER + capacity) / 8)] = (uint32_t)number;
            break;
        case 1:
            written_by_worker[bytes[0] / 6 % 64] = number;
            break;
        case 2: {
            const int64_t put = gatehouse_ring_put(&writer, content, room);
            promise(put == -EPROTO || (put >= 0 && (size_t)put <= room && put <= capacity), "more is put than there is");
            promise(!writer.is_broken || put == -EPROTO, "a broken rule is forgiven");
            promise(writer.written - writer.taken <= capacity || writer.is_broken, "what is not taken is overwritten");
            break;
        }
        case 3: gatehouse_ring_publish(&writer); break;
        case 4: {
            const int64_t taken = gatehouse_ring_take(&reader, content, room);
            promise(taken == -EPROTO || (taken >= 0 && (size_t)taken <= room && taken <= capacity), "more is taken than asked for");
            promise(!reader.is_broken || taken == -EPROTO, "a broken rule is forgiven");
            break;
        }
        default: {
            gatehouse_bell_ring(&bell);
            const int result = gatehouse_ring_wait(&reader, &writer, &bell, 0, 1, 0);
            promise(result == 0 || result == -EPROTO || result == -ETIMEDOUT, "a wait for something else");
            gatehouse_ring_linger(&reader, &bell, 0, room, 2);
        }
        }
    }
    return 0;
}
