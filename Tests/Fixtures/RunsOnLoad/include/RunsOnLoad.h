// SPDX-License-Identifier: Apache-2.0
#ifndef GATEHOUSE_RUNS_ON_LOAD_H
#define GATEHOUSE_RUNS_ON_LOAD_H

// Nothing: the library is opened by tests, never linked.

#endif
