// SPDX-License-Identifier: Apache-2.0
#ifndef GATEHOUSE_TEXT_RELOCATIONS_H
#define GATEHOUSE_TEXT_RELOCATIONS_H

// Nothing: the library is opened by tests, never linked.

#endif
