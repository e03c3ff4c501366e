// SPDX-License-Identifier: Apache-2.0
#ifndef FOREIGN_MIGRANT_H
#define FOREIGN_MIGRANT_H

// Nothing: the library is opened by tests, never linked.

#endif
