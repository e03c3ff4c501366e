// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_PLACES_H
#define GATEHOUSE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Which function, file and line an address of code belongs to, as the files of the loaded libraries say. Nothing here takes memory
// from the heap, waits for a lock or asks the loader, so that a signal handler and a thread beside one that hangs may use it. Thread
// tags are those of gatehouse_linux.h.

/// The longest stack that is looked at.
enum { GATEHOUSE_STACK_FRAMES = 128 };

/// Where an address of code is; texts end with a zero byte, and are empty where nothing is known.
struct gatehouse_place {
    /// The line in the file, from 1; 0 where it is not known, and for code that no line of the source stands for.
    uint64_t line;
    /// How far from the beginning of the library it is, as tools that read libraries count.
    uint64_t offset;
    /// The last part of the library's path.
    char library[64];
    /// The last part of the source file's path, and what is before it; cut when long.
    char file[128];
    char directory[128];
    /// The function as linkers know it; a name that is longer is left out, because half of one cannot be read.
    char function[1024];
};

/// Finds out where an address is; false when no library is there. Reads the file of the library. [any-thread]
///
/// - Parameter address: of an instruction, or behind a call less 1.
bool gatehouse_place_of(uint64_t address, struct gatehouse_place *place);

/// Whether the place is a line that somebody has written who writes plugins: not one of the compiler or of Rust's own libraries.
bool gatehouse_place_is_written(const struct gatehouse_place *place);

/// The parts of a library's file in which lines are looked up; NULL with 0 bytes for one that is not there.
struct gatehouse_line_sections {
    const uint8_t *lines;
    size_t lines_bytes;
    const uint8_t *line_texts;
    size_t line_texts_bytes;
    const uint8_t *texts;
    size_t texts_bytes;
};

/// Looks up the line of an offset in DWARF's tables of versions 2 to 5, and enters it in a place; leaves it alone when there is none.
/// Never reads beyond the sections. [any-thread]
void gatehouse_find_line(
    const struct gatehouse_line_sections *sections, uint64_t offset, struct gatehouse_place *place);

/// Takes note of the calling thread, so that its stack can be asked for; before it drains. [any-thread]
void gatehouse_know_thread(void);

/// The calls of a thread, the innermost first: the instruction in which it is, and of each call around it the byte before the one to
/// which it returns. Gives how many, at most `room`; 0 where the thread does not answer. One thread may ask at a time.
///
/// It interrupts the thread by SIGPROF, which libdispatch lets through, unless somebody else has a handler for that: a system call
/// that cannot be continued, such as a pause, ends early.
///
/// - Parameters:
///   - thread: as the record of a drain has it.
///   - milliseconds: how long to wait for the thread.
size_t gatehouse_stack_of(uint64_t thread, uint64_t *addresses, size_t room, int milliseconds);

#ifdef __cplusplus
}
#endif

#endif
