// SPDX-License-Identifier: Apache-2.0
#ifndef FOREIGN_REFUSING_H
#define FOREIGN_REFUSING_H

// Nothing: the library is opened by tests, never linked.

#endif
