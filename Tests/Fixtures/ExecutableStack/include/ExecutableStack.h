// SPDX-License-Identifier: Apache-2.0
#ifndef GATEHOUSE_EXECUTABLE_STACK_H
#define GATEHOUSE_EXECUTABLE_STACK_H

// Nothing: the library is opened by tests, never linked.

#endif
