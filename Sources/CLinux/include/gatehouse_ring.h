// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_RING_H
#define GATEHOUSE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A stream of bytes in each direction between two processes, through shared memory.
//
// Each side writes one file in memory: the positions that it publishes, and the bytes that it sends. The other side has the file
// mapped for reading alone. Positions count bytes from the beginning of the connection and never go back. A side may change what it
// has sent at any time, so the other reads each position once, checks it, and copies bytes out before it looks at them.
//
// Functions return a negative errno value when the system refuses, and -EPROTO when the other side breaks these rules.

/// The size of the header with the positions, which precedes the data.
enum { GATEHOUSE_RING_HEADER = 4096 };

/// Creates the file of one side, whose size nobody can change, and returns its descriptor (close-on-exec, the caller's to close).
///
/// - capacity: the bytes for data, a power of two from 4,096 to 2^30. They are allocated at once.
int gatehouse_ring_create(const char *name, size_t capacity);

/// Maps the file of this side and seals it: nobody can map it for writing after that. Returns 0.
///
/// A side that does not trust the other calls this before the other has the descriptor: writable maps that exist already stay
/// writable. Fails with -EPERM for a file whose size is not fixed or that is sealed already, and with -EINVAL for another size.
int gatehouse_ring_map_own(int descriptor, size_t capacity, void **memory);

/// Maps the file of the other side, for reading; returns 0.
///
/// Fails with -EPERM for a file that is not sealed, and with -EINVAL for another size, or for one that is not allocated: reading it
/// could end this process.
int gatehouse_ring_map_other(int descriptor, size_t capacity, const void **memory);

/// Removes a map.
void gatehouse_ring_unmap(const void *memory, size_t capacity);

/// The writing end. One thread at a time uses it.
struct gatehouse_ring_writer {
    void *own;
    const void *other;
    size_t capacity;
    /// The bytes that were put, and those of them that are published.
    uint64_t written, published;
    /// The bytes that the other side has taken, as last seen.
    uint64_t taken;
    /// The last sleep of the other side that this end has ended.
    uint32_t ended_sleep;
    /// Whether the other side has broken the rules.
    bool is_broken;
};

/// The reading end. One thread at a time uses it.
struct gatehouse_ring_reader {
    void *own;
    const void *other;
    size_t capacity;
    /// The bytes that were taken.
    uint64_t taken;
    /// The bytes that the other side has published, as last seen.
    uint64_t written;
    /// The last sleep of the other side that this end has ended.
    uint32_t ended_sleep;
    /// Whether the other side has broken the rules.
    bool is_broken;
};

/// Puts bytes after those before, as many as there is room for, and returns how many. Nobody can read them before
/// `gatehouse_ring_publish`.
int64_t gatehouse_ring_put(struct gatehouse_ring_writer *writer, const void *bytes, size_t count);

/// The room that there is for more bytes.
int64_t gatehouse_ring_room(struct gatehouse_ring_writer *writer);

/// Lets the other side read what was put, and wakes it if it waits for that.
void gatehouse_ring_publish(struct gatehouse_ring_writer *writer);

/// Copies the next bytes out, at most `room`, and returns how many; 0 when there are none. Wakes the other side if it waits for room.
int64_t gatehouse_ring_take(struct gatehouse_ring_reader *reader, void *bytes, size_t room);

/// Wakes a thread that waits, from within its process.
struct gatehouse_bell {
    /// Counts the calls.
    uint32_t count;
    /// Counts the threads that wait, or are about to: a bell that nobody hears costs no system call.
    uint32_t waiting;
    /// Whether the kernel, or a container's filter of system calls, lets nobody wait for several words: then a thread that waits looks for
    /// itself now and then, and hears the bell up to 10 ms late.
    uint32_t is_alone;
};

/// Makes the thread return that waits with this bell, now or the next time. [any-thread]
void gatehouse_bell_ring(struct gatehouse_bell *bell);

/// How often it was rung. [any-thread]
uint32_t gatehouse_bell_count(const struct gatehouse_bell *bell);

/// Looks at most `spins` times whether there are so many bytes to take, and stops when the bell has been rung: to take many at once
/// costs less than to take each as it comes.
void gatehouse_ring_linger(
    const struct gatehouse_ring_reader *reader, const struct gatehouse_bell *bell, uint32_t heard, uint64_t bytes, unsigned spins);

/// Waits until there are bytes to take, the other side has taken some, or the bell has been rung; returns 0, sometimes also without a
/// reason, and -ETIMEDOUT only when the time is over.
///
/// - reader: NULL to wait for no bytes.
/// - writer: NULL to wait for no room; otherwise one that has published all it was given. Its `taken` says what is known.
/// - heard: how often the bell was rung when the caller last looked.
/// - spins: how often to look before the thread sleeps.
/// - nanoseconds: how long to wait at most; negative for as long as it takes.
int gatehouse_ring_wait(
    const struct gatehouse_ring_reader *reader, const struct gatehouse_ring_writer *writer, struct gatehouse_bell *bell,
    uint32_t heard, unsigned spins, int64_t nanoseconds);

#endif
