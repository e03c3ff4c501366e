// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_TEXTS_H
#define GATEHOUSE_TEXTS_H

#include "gatehouse_places.h"

#include <string.h>

// Texts from files and records that may be damaged. Callable from a signal handler.

/// Copies at most so many bytes of a text, and ends the copy with a zero byte. One line stays one line, whatever the text contains.
static inline void copy_line(char *to, const char *from, size_t most) {
    size_t index = 0;
    for (; index < most && from[index] != 0; index++) { to[index] = (unsigned char)from[index] < ' ' ? '?' : from[index]; }
    to[index] = 0;
}

/// The text at an offset; empty where it does not end within the texts.
static inline const char *text_at(struct gatehouse_bytes texts, uint64_t offset) {
    const bool is_whole =
        texts.start != NULL && offset < texts.count && memchr(texts.start + offset, 0, texts.count - offset) != NULL;
    return is_whole ? (const char *)texts.start + offset : "";
}

#endif
