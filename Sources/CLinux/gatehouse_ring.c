// SPDX-License-Identifier: Apache-2.0

// memfd_create and the seals are extensions that the C library declares only on request.
#define _GNU_SOURCE

#include "gatehouse_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// C libraries older than the kernel lack the names; the values are fixed kernel ABI.
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

/// What stands at the beginning of a file; each word in a cache line of its own, so that changing one does not slow down another.
struct header {
    /// The bytes that its owner has sent.
    _Alignas(64) _Atomic uint64_t written;
    /// The bytes that its owner has taken from the other side.
    _Alignas(64) _Atomic uint64_t taken;
    /// Odd while its owner sleeps until there are bytes; each sleep has another number.
    _Alignas(64) _Atomic uint32_t waits_for_bytes;
    /// The same for room.
    _Alignas(64) _Atomic uint32_t waits_for_room;
};
_Static_assert(sizeof(struct header) <= GATEHOUSE_RING_HEADER, "the header fits into its page");
_Static_assert(
    offsetof(struct header, written) == 0 && offsetof(struct header, taken) == 64 && offsetof(struct header, waits_for_bytes) == 128
        && offsetof(struct header, waits_for_room) == 192,
    "programs of other versions find the words there");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the low half of a position comes first");

enum {
    fixed_size = F_SEAL_SHRINK | F_SEAL_GROW,
    own_only = F_SEAL_FUTURE_WRITE | F_SEAL_SEAL,
};

// MARK: - Memory

/// Whether places in the data can be found by a mask, and the low halves of positions differ as long as it matters.
static bool is_capacity(size_t capacity) {
    return capacity >= 4096 && capacity <= 1 << 30 && (capacity & (capacity - 1)) == 0;
}

int gatehouse_ring_create(const char *name, size_t capacity) {
    if (!is_capacity(capacity)) { return -EINVAL; }
    const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int file = memfd_create(name, flags | MFD_NOEXEC_SEAL);
    // Kernels before 6.3 do not know the flag.
    if (file < 0 && errno == EINVAL) { file = memfd_create(name, flags); }
    if (file < 0) { return -errno; }
    // Memory that is missing is noticed here, where it is an error, and not at the first byte, where it would be a signal.
    int refused;
    do {
        refused = posix_fallocate(file, 0, (off_t)(GATEHOUSE_RING_HEADER + capacity));
    } while (refused == EINTR);
    const int failure = refused != 0 ? -refused : fcntl(file, F_ADD_SEALS, fixed_size) < 0 ? -errno : 0;
    if (failure == 0) { return file; }
    close(file);
    return failure;
}

/// Whether a file has exactly these seals, besides one that kernels add on their own, and is as large as expected and allocated.
static int check(int descriptor, int expected, size_t capacity) {
    if (!is_capacity(capacity)) { return -EINVAL; }
    const int seals = fcntl(descriptor, F_GET_SEALS);
    if (seals < 0) { return errno == EINVAL ? -EPERM : -errno; }
    const int known = fixed_size | own_only | F_SEAL_WRITE;
    if ((seals & known) != expected) { return -EPERM; }
    struct stat status;
    if (fstat(descriptor, &status) != 0) { return -errno; }
    // A file whose size is fixed can be full of holes all the same, and once it is sealed nobody makes any.
    const size_t size = GATEHOUSE_RING_HEADER + capacity;
    return status.st_size == (off_t)size && status.st_blocks >= (blkcnt_t)(size / 512) ? 0 : -EINVAL;
}

int gatehouse_ring_map_own(int descriptor, size_t capacity, void **memory) {
    const size_t size = GATEHOUSE_RING_HEADER + capacity;
    const int wrong = check(descriptor, fixed_size, capacity);
    if (wrong != 0) { return wrong; }
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (map == MAP_FAILED) { return -errno; }
    // Nobody can map it for writing after this.
    if (fcntl(descriptor, F_ADD_SEALS, own_only) < 0) {
        const int failure = -errno;
        munmap(map, size);
        return failure;
    }
    *memory = map;
    return 0;
}

int gatehouse_ring_map_other(int descriptor, size_t capacity, const void **memory) {
    const size_t size = GATEHOUSE_RING_HEADER + capacity;
    const int wrong = check(descriptor, fixed_size | own_only, capacity);
    if (wrong != 0) { return wrong; }
    void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, descriptor, 0);
    if (map == MAP_FAILED) { return -errno; }
    *memory = map;
    return 0;
}

void gatehouse_ring_unmap(const void *memory, size_t capacity) {
    munmap((void *)memory, GATEHOUSE_RING_HEADER + capacity);
}

// MARK: - Sleep and waking

/// Wakes the thread that sleeps on a word, and returns whether there was one; errors do not matter, because a sleeper looks again.
static bool wake(const void *word) { return syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0) > 0; }

/// Ends a sleep of the other side that began before a position of this side was published.
///
/// A thread takes some 30 µs to wake up, in which many more positions are published: each sleep is ended once. One that was announced
/// and had not begun is not ended: it may begin with this position taken already, and only the next one ends it.
static void end_sleep(const _Atomic uint32_t *sleep, uint32_t *ended, const void *word) {
    // Either this side sees that the other sleeps, or the other sees the new position before it sleeps.
    atomic_thread_fence(memory_order_seq_cst);
    const uint32_t number = atomic_load_explicit(sleep, memory_order_relaxed);
    if (number % 2 == 0 || number == *ended) { return; }
    if (wake(word)) { *ended = number; }
}

void gatehouse_bell_ring(struct gatehouse_bell *bell) {
    atomic_fetch_add((_Atomic uint32_t *)&bell->count, 1);
    // Either this side sees that somebody waits, or whoever waits sees the new count before it sleeps.
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit((_Atomic uint32_t *)&bell->waiting, memory_order_relaxed) == 0) { return; }
    syscall(SYS_futex, &bell->count, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

uint32_t gatehouse_bell_count(const struct gatehouse_bell *bell) {
    return atomic_load((const _Atomic uint32_t *)&bell->count);
}

/// Announces a sleep, which has the next odd number, or its end. Only the owner of a word changes it, so its numbers go on from one
/// thread to the next.
static void announce(_Atomic uint32_t *sleep, bool begins) {
    const uint32_t number = atomic_load_explicit(sleep, memory_order_relaxed) + 1;
    atomic_store(sleep, begins ? number | 1 : number);
}

/// Lets the other thread of the core work for a moment.
static inline void pause_once(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

void gatehouse_ring_linger(
    const struct gatehouse_ring_reader *reader, const struct gatehouse_bell *bell, uint32_t heard, uint64_t bytes, unsigned spins) {
    const struct header *sender = reader->other;
    for (unsigned spin = 0; spin < spins; spin++) {
        // A position that cannot be counts as many bytes; whoever takes them checks it.
        if (atomic_load_explicit(&sender->written, memory_order_relaxed) - reader->taken >= bytes) { return; }
        if (gatehouse_bell_count(bell) != heard) { return; }
        pause_once();
    }
}

/// The time after some nanoseconds, by the monotonic clock.
static struct timespec after(int64_t nanoseconds) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    const int64_t part = end.tv_nsec + nanoseconds % 1000000000;
    end.tv_sec += nanoseconds / 1000000000 + part / 1000000000;
    end.tv_nsec = part % 1000000000;
    return end;
}

/// Sleeps until a word is woken or has another value, for some nanoseconds at most; returns 0 or a negative error.
static int sleep_on(struct futex_waitv word, int64_t nanoseconds) {
    const struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    const int operation = word.flags & FUTEX_PRIVATE_FLAG ? FUTEX_WAIT_PRIVATE : FUTEX_WAIT;
    if (syscall(SYS_futex, (void *)(uintptr_t)word.uaddr, operation, (uint32_t)word.val, &time, NULL, 0) >= 0) { return 0; }
    return errno == EAGAIN || errno == EINTR || errno == ETIMEDOUT ? 0 : -errno;
}

/// What ends a wait.
struct reasons {
    const struct gatehouse_ring_reader *reader;
    const struct gatehouse_ring_writer *writer;
    const struct gatehouse_bell *bell;
    uint32_t heard;
};

/// Whether one of them is there. A position that is not the known one is a reason, whatever it is: whoever uses it checks it.
static inline bool is_any(const struct reasons *reasons) {
    const struct gatehouse_ring_reader *reader = reasons->reader;
    const struct gatehouse_ring_writer *writer = reasons->writer;
    return gatehouse_bell_count(reasons->bell) != reasons->heard
        || (reader != NULL
            && atomic_load_explicit(&((const struct header *)reader->other)->written, memory_order_acquire) != reader->taken)
        || (writer != NULL
            && atomic_load_explicit(&((const struct header *)writer->other)->taken, memory_order_acquire) != writer->taken);
}

/// Sleeps on one word, and looks for reasons on the others after pauses of up to 10 ms, with the shortest at the beginning; `end` is NULL
/// without a limit. Returns 0 or a negative error.
static int sleep_and_look(const struct reasons *reasons, struct futex_waitv word, const struct timespec *end) {
    for (int64_t pause = 1000000; !is_any(reasons); pause = pause < 5000000 ? 2 * pause : 10000000) {
        if (end != NULL) {
            const struct timespec now = after(0);
            const int64_t left = (int64_t)(end->tv_sec - now.tv_sec) * 1000000000 + (end->tv_nsec - now.tv_nsec);
            if (left <= 0) { return -ETIMEDOUT; }
            pause = left < pause ? left : pause;
        }
        const int outcome = sleep_on(word, pause);
        if (outcome != 0) { return outcome; }
    }
    return 0;
}

/// Sleeps on all words until there is a reason, or until `end`; NULL without a limit. A bell that is alone has met a system, or a filter
/// of system calls, that lets nobody wait for several words. Returns 0 or a negative error.
static int sleep_on_words(
    const struct reasons *reasons, struct gatehouse_bell *bell, struct futex_waitv *words, unsigned count,
    const struct timespec *end) {
    _Atomic uint32_t *is_alone = (_Atomic uint32_t *)&bell->is_alone;
    if (atomic_load_explicit(is_alone, memory_order_relaxed) == 0) {
        if (syscall(SYS_futex_waitv, words, count, 0, end, CLOCK_MONOTONIC) >= 0) { return 0; }
        if (errno != ENOSYS && errno != EPERM) { return errno == EAGAIN || errno == EINTR ? 0 : -errno; }
        atomic_store_explicit(is_alone, 1, memory_order_relaxed);
    }
    // The word that matters most.
    return sleep_and_look(reasons, words[count > 1 ? 1 : 0], end);
}

int gatehouse_ring_wait(
    const struct gatehouse_ring_reader *reader, const struct gatehouse_ring_writer *writer, struct gatehouse_bell *bell,
    uint32_t heard, unsigned spins, int64_t nanoseconds) {
    const struct reasons reasons = {reader, writer, bell, heard};
    for (unsigned spin = 0; spin < spins; spin++) {
        if (is_any(&reasons)) { return 0; }
        pause_once();
    }
    struct futex_waitv words[3];
    memset(words, 0, sizeof words);
    unsigned count = 0;
    words[count++] = (struct futex_waitv){heard, (uintptr_t)&bell->count, FUTEX_32 | FUTEX_PRIVATE_FLAG, 0};
    if (reader != NULL) {
        const struct header *sender = reader->other;
        announce(&((struct header *)reader->own)->waits_for_bytes, true);
        words[count++] = (struct futex_waitv){(uint32_t)reader->taken, (uintptr_t)&sender->written, FUTEX_32, 0};
    }
    if (writer != NULL) {
        const struct header *taker = writer->other;
        announce(&((struct header *)writer->own)->waits_for_room, true);
        words[count++] = (struct futex_waitv){(uint32_t)writer->taken, (uintptr_t)&taker->taken, FUTEX_32, 0};
    }
    int outcome = 0;
    atomic_fetch_add((_Atomic uint32_t *)&bell->waiting, 1);
    atomic_thread_fence(memory_order_seq_cst);
    if (!is_any(&reasons)) {
        const struct timespec end = nanoseconds < 0 ? (struct timespec){0, 0} : after(nanoseconds);
        outcome = sleep_on_words(&reasons, bell, words, count, nanoseconds < 0 ? NULL : &end);
    }
    atomic_fetch_sub((_Atomic uint32_t *)&bell->waiting, 1);
    if (reader != NULL) { announce(&((struct header *)reader->own)->waits_for_bytes, false); }
    if (writer != NULL) { announce(&((struct header *)writer->own)->waits_for_room, false); }
    return outcome;
}

// MARK: - Bytes

int64_t gatehouse_ring_room(struct gatehouse_ring_writer *writer) {
    if (writer->is_broken) { return -EPROTO; }
    const struct header *other = writer->other;
    const uint64_t taken = atomic_load_explicit(&other->taken, memory_order_acquire);
    // Neither back, which makes the unsigned difference huge, nor beyond what is published.
    if (taken - writer->taken > writer->published - writer->taken) {
        writer->is_broken = true;
        return -EPROTO;
    }
    writer->taken = taken;
    return (int64_t)(writer->capacity - (writer->written - taken));
}

int64_t gatehouse_ring_put(struct gatehouse_ring_writer *writer, const void *bytes, size_t count) {
    if (writer->is_broken) { return -EPROTO; }
    size_t room = writer->capacity - (writer->written - writer->taken);
    if (room < count) {
        const int64_t now = gatehouse_ring_room(writer);
        if (now < 0) { return now; }
        room = (size_t)now;
        if (room < count) { count = room; }
    }
    if (count == 0) { return 0; }
    uint8_t *data = (uint8_t *)writer->own + GATEHOUSE_RING_HEADER;
    const size_t place = writer->written & (writer->capacity - 1);
    const size_t first = count < writer->capacity - place ? count : writer->capacity - place;
    memcpy(data + place, bytes, first);
    memcpy(data, (const uint8_t *)bytes + first, count - first);
    writer->written += count;
    return (int64_t)count;
}

void gatehouse_ring_publish(struct gatehouse_ring_writer *writer) {
    if (writer->published == writer->written) { return; }
    writer->published = writer->written;
    struct header *own = writer->own;
    atomic_store_explicit(&own->written, writer->written, memory_order_release);
    end_sleep(&((const struct header *)writer->other)->waits_for_bytes, &writer->ended_sleep, &own->written);
}

int64_t gatehouse_ring_take(struct gatehouse_ring_reader *reader, void *bytes, size_t room) {
    if (reader->is_broken) { return -EPROTO; }
    const struct header *other = reader->other;
    const uint64_t written = atomic_load_explicit(&other->written, memory_order_acquire);
    // Neither back nor more than there is memory for.
    if (written - reader->taken > reader->capacity || written - reader->taken < reader->written - reader->taken) {
        reader->is_broken = true;
        return -EPROTO;
    }
    reader->written = written;
    size_t count = (size_t)(written - reader->taken);
    if (count > room) { count = room; }
    if (count == 0) { return 0; }
    const uint8_t *data = (const uint8_t *)reader->other + GATEHOUSE_RING_HEADER;
    const size_t place = reader->taken & (reader->capacity - 1);
    const size_t first = count < reader->capacity - place ? count : reader->capacity - place;
    memcpy(bytes, data + place, first);
    memcpy((uint8_t *)bytes + first, data, count - first);
    reader->taken += count;
    struct header *own = reader->own;
    atomic_store_explicit(&own->taken, reader->taken, memory_order_release);
    end_sleep(&((const struct header *)reader->other)->waits_for_room, &reader->ended_sleep, &own->taken);
    return (int64_t)count;
}
