// SPDX-License-Identifier: Apache-2.0
#ifndef GATEHOUSE_TWO_NOTES_H
#define GATEHOUSE_TWO_NOTES_H

// Nothing: the library is opened by tests, never linked.

#endif
