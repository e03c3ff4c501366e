// SPDX-License-Identifier: Apache-2.0
#ifndef GATEHOUSE_HIDDEN_ENTRY_H
#define GATEHOUSE_HIDDEN_ENTRY_H

// Nothing: the library is opened by tests, never linked.

#endif
