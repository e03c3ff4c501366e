// SPDX-License-Identifier: Apache-2.0
#include "HiddenEntry.h"

#include "gatehouse_fixture.h"

GATEHOUSE_FIXTURE_NOTE(note_of_the_fixture, "gatehouse_plugin_v1_HiddenEntry");

__attribute__((visibility("hidden"))) void *gatehouse_plugin_v1_HiddenEntry(const void *host);

// Linked, but not for others.
void *gatehouse_plugin_v1_HiddenEntry(const void *host) {
    (void)host;
    return (void *)0;
}
