// SPDX-License-Identifier: Apache-2.0
#ifndef FOREIGN_PROBE_H
#define FOREIGN_PROBE_H

// Nothing: the library is opened by tests, never linked.

#endif
