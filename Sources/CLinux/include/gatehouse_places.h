// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_PLACES_H
#define GATEHOUSE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Finds the function, file and line of a code address in the files of the loaded libraries. Nothing here allocates memory, waits for
// a lock or asks the loader, so a signal handler and a thread beside one that hangs may use it. Thread tags are those of
// gatehouse_linux.h.

/// The maximum number of frames of a stack.
enum { GATEHOUSE_STACK_FRAMES = 128 };

/// The place of a code address; texts end with a zero byte, and are empty where nothing is known.
struct gatehouse_place {
    /// The line in the file, from 1; 0 where it is unknown, and for code without a source line.
    uint64_t line;
    /// The offset from the beginning of the library, as tools that read libraries count.
    uint64_t offset;
    /// The last part of the library's path.
    char library[64];
    /// The last part of the source file's path, and the part before it; cut when long.
    char file[128];
    char directory[128];
    /// The function's linker name; one that is longer is omitted, because a part of it cannot be demangled.
    char function[1024];
};

/// Finds the place of an address; false when no library is there. Reads the file of the library. [any-thread]
///
/// - Parameter address: of an instruction, or a return address less 1.
bool gatehouse_place_of(uint64_t address, struct gatehouse_place *place);

/// Finds the place of an offset in a library's file, which need not be loaded; false when there is no such file, or it is no library.
/// [any-thread]
///
/// - Parameter offset: from the beginning of the library, as in a place.
bool gatehouse_place_in(const char *path, uint64_t offset, struct gatehouse_place *place);

/// Whether a plugin's author may have written the line: it is not one of the compiler or of Rust's own libraries.
bool gatehouse_place_is_written(const struct gatehouse_place *place);

/// A part of memory.
struct gatehouse_bytes {
    const uint8_t *start;
    size_t count;
};

/// The sections of a library's file for finding lines; NULL with 0 bytes for a missing one.
struct gatehouse_line_sections {
    struct gatehouse_bytes lines, line_texts, texts;
};

/// Finds the line of an offset in DWARF's tables of versions 2 to 5, and enters it in a place; leaves the place unchanged when there
/// is none. Never reads beyond the sections. [any-thread]
void gatehouse_find_line(
    const struct gatehouse_line_sections *sections, uint64_t offset, struct gatehouse_place *place);

/// Registers the calling thread, so that its stack can be requested; call it before it drains. [any-thread]
void gatehouse_know_thread(void);

/// The calls of a thread, the innermost first: the current instruction, and for each call around it the byte before its return
/// address. Returns how many, at most `room`; 0 when the thread does not answer. Only one thread may ask at a time.
///
/// It interrupts the thread by SIGPROF, which libdispatch does not block, unless another handler for that is installed. A system call
/// that cannot be restarted, such as a pause, ends early.
///
/// - Parameters:
///   - thread: as the record of a drain has it.
///   - milliseconds: how long to wait for the thread.
size_t gatehouse_stack_of(uint64_t thread, uint64_t *addresses, size_t room, int milliseconds);

/// The same for any thread of this process but the calling one, by the system's id.
size_t gatehouse_stack_of_id(int32_t id, uint64_t *addresses, size_t room, int milliseconds);

#ifdef __cplusplus
}
#endif

#endif
