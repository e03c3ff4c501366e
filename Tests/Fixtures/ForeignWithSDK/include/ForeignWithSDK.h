// SPDX-License-Identifier: Apache-2.0
#ifndef FOREIGN_WITH_SDK_H
#define FOREIGN_WITH_SDK_H

// Nothing: the library is opened by tests, never linked.

#endif
