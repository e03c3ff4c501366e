// SPDX-License-Identifier: Apache-2.0

/// What all copies of a getter share.
@usableFromInline
final class StateReader<StateType> {
    /// Reads the state.
    @usableFromInline let read: () -> StateType

    /// A reader around a closure.
    @inlinable
    init(_ read: @escaping () -> StateType) {
        self.read = read
    }
}
