// SPDX-License-Identifier: Apache-2.0
#ifndef GATEHOUSE_NO_NOTE_H
#define GATEHOUSE_NO_NOTE_H

#include <stddef.h>

/// An entry that no note announces. Returns NULL, since it is never to be called. [the thread that loads]
void *gatehouse_plugin_v1_NoNote(const void *host);

#endif
