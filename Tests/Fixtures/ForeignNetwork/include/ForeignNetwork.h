// SPDX-License-Identifier: Apache-2.0
#ifndef FOREIGN_NETWORK_H
#define FOREIGN_NETWORK_H

// Nothing: the library is opened by tests, never linked.

#endif
