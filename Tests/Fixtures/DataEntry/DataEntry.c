// SPDX-License-Identifier: Apache-2.0
#include "DataEntry.h"

#include "gatehouse_fixture.h"

GATEHOUSE_FIXTURE_NOTE(note_of_the_fixture, "gatehouse_plugin_v1_DataEntry");

extern int gatehouse_plugin_v1_DataEntry;

// A number where a function should be.
int gatehouse_plugin_v1_DataEntry = 42;
