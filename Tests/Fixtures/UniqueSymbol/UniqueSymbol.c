// SPDX-License-Identifier: Apache-2.0
#include "UniqueSymbol.h"

#include "gatehouse_fixture.h"

GATEHOUSE_FIXTURE_NOTE(note_of_the_fixture, "gatehouse_plugin_v1_UniqueSymbol");

void *gatehouse_plugin_v1_UniqueSymbol(const void *host);

// Never to be called, or without an answer.
void *gatehouse_plugin_v1_UniqueSymbol(const void *host) {
    (void)host;
    return (void *)0;
}

// What g++ writes for `inline int shared_thing = 1`, in C++17.
__asm__(
    ".data\n.balign 4\n.type shared_thing, %gnu_unique_object\n.size shared_thing, 4\nshared_thing: .long 1\n.text\n");
