// SPDX-License-Identifier: Apache-2.0
#include "NoSDK.h"

#include "gatehouse_fixture.h"

GATEHOUSE_FIXTURE_NOTE(note_of_the_fixture, "gatehouse_plugin_v1_NoSDK");

void *gatehouse_plugin_v1_NoSDK(const void *host);

// Never to be called, or without an answer.
void *gatehouse_plugin_v1_NoSDK(const void *host) {
    (void)host;
    return (void *)0;
}
