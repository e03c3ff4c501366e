// SPDX-License-Identifier: Apache-2.0

#ifndef RESTLESS_H
#define RESTLESS_H

/// Does what a plugin should not: "trap", "loop", "exit", "close" (all descriptors), "closeTold" (those above standard error),
/// "print", "fork" (a child that stays). Anything else is nothing.
void restless_do(const char *deed);

#endif
