// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_RUNNING_EFFECTS_H
#define GATEHOUSE_RUNNING_EFFECTS_H

#include "gatehouse_account.h"

// The effects that a flight recorder lists, and whose they are. Callable from a signal handler.

/// An iteration over the running effects; starts as zero.
struct gatehouse_walk {
    /// The drain of the last one.
    uint32_t drain;
    /// The place after it there.
    uint64_t place;
};

/// Returns the next effect; NULL after the last.
const struct gatehouse_recorder_effect *gatehouse_next_effect(
    const struct gatehouse_recorder *recorder, struct gatehouse_walk *walk);

/// The instance of an effect; NULL for a free place, or an unknown instance.
const struct gatehouse_recorder_instance *gatehouse_instance_of(
    const struct gatehouse_recorder *recorder, const struct gatehouse_recorder_effect *effect);

/// Whether an instance uses the library with an id and a digest.
bool gatehouse_uses(const struct gatehouse_recorder_instance *instance, const char *plugin, const char *digest);

#endif
