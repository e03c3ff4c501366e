// SPDX-License-Identifier: Apache-2.0

/// Where a state getter reads from.
///
/// One source lives as long as its store or lift, so that making a getter for each action costs nothing.
open class StateSource<State> {
    /// For subclasses.
    @inlinable
    public init() {}

    /// The state as it is now; called in the drain. Subclasses must override.
    open func read() -> State {
        preconditionFailure("StateSource.read must be overridden")
    }
}
