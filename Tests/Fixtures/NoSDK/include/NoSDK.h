// SPDX-License-Identifier: Apache-2.0
#ifndef GATEHOUSE_NO_SDK_H
#define GATEHOUSE_NO_SDK_H

// Nothing: the library is opened by tests, never linked.

#endif
