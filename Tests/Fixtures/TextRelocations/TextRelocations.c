// SPDX-License-Identifier: Apache-2.0
#include "TextRelocations.h"

#include "gatehouse_fixture.h"

GATEHOUSE_FIXTURE_NOTE(note_of_the_fixture, "gatehouse_plugin_v1_TextRelocations");

void *gatehouse_plugin_v1_TextRelocations(const void *host);

// Never to be called, or without an answer.
void *gatehouse_plugin_v1_TextRelocations(const void *host) {
    (void)host;
    return (void *)0;
}

// The address of a function among the instructions.
#if defined(__x86_64__) || defined(__aarch64__)
__asm__(".text\n.balign 8\naddress_in_the_code: .quad gatehouse_plugin_v1_TextRelocations\n");
#endif
