// SPDX-License-Identifier: Apache-2.0
#ifndef GATEHOUSE_RELATIVE_RUN_PATH_H
#define GATEHOUSE_RELATIVE_RUN_PATH_H

// Nothing: the library is opened by tests, never linked.

#endif
