// SPDX-License-Identifier: Apache-2.0
#include "NoNote.h"

// The right kind of entry, which nobody can know about without the note.
void *gatehouse_plugin_v1_NoNote(const void *host) {
    (void)host;
    return NULL;
}
