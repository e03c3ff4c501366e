// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_FIXTURE_H
#define GATEHOUSE_FIXTURE_H

#include <stdint.h>

/// The record that makes a library look like a plugin: an ELF note with room for 4,096 bytes of text.
///
/// A C file cannot know the identity of the SDK it is built beside. So the text is only the name of the entry, and the tests
/// write a whole note into the room before they use the library.
struct gatehouse_fixture_note {
    uint32_t owner_size;
    uint32_t content_size;
    uint32_t type;
    char owner[12];
    char content[4096];
};

/// Puts the note into the library; `variable` is any name, `text` the name of the entry.
#define GATEHOUSE_FIXTURE_NOTE(variable, text)                                                          \
    __attribute__((section(".note.gatehouse"), used, aligned(4)))                                       \
    const struct gatehouse_fixture_note variable = {10, 4096, 1, "gatehouse", text}

#endif
