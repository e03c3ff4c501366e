// SPDX-License-Identifier: Apache-2.0

/// An action handler that runs its work in a drain: a store, or something in front of one.
///
/// When such a handler is erased and mapped, the map runs in that drain too.
public protocol DrainOwner {
    /// Where outputs and late work join the queue.
    var drain: Drain { get }
}
