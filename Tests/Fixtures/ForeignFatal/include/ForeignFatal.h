// SPDX-License-Identifier: Apache-2.0
#ifndef FOREIGN_FATAL_H
#define FOREIGN_FATAL_H

// Nothing: the library is opened by tests, never linked.

#endif
