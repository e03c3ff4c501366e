// SPDX-License-Identifier: Apache-2.0
#ifndef FOREIGN_ESCAPING_H
#define FOREIGN_ESCAPING_H

// Nothing: the library is opened by tests, never linked.

#endif
