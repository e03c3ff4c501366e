// SPDX-License-Identifier: Apache-2.0

/// An action handler that runs its work in a drain: a store, or a wrapper of one.
///
/// If such a handler is erased and mapped, the map runs in that drain too.
public protocol DrainOwner {
    /// The drain that outputs and late work join.
    var drain: Drain { get }
}
