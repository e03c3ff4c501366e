// SPDX-License-Identifier: Apache-2.0

/// Reads by calling a closure.
@usableFromInline
final class ClosureStateSource<State>: StateSource<State> {
    /// Called for each read.
    @usableFromInline let readState: () -> State

    /// A source around a closure.
    @inlinable
    init(_ readState: @escaping () -> State) {
        self.readState = readState
    }

    @inlinable
    override func read() -> State { readState() }
}
