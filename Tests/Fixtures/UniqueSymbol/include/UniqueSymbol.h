// SPDX-License-Identifier: Apache-2.0
#ifndef GATEHOUSE_UNIQUE_SYMBOL_H
#define GATEHOUSE_UNIQUE_SYMBOL_H

// Nothing: the library is opened by tests, never linked.

#endif
