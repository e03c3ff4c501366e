// SPDX-License-Identifier: Apache-2.0

/// Ends a stream when the observer that holds this is released.
final class StreamEnd: Sendable {
    /// Finishes the stream; called once, when the last reference is released.
    private let finish: @Sendable () -> Void

    /// Calls the closure at deinitialization.
    init(_ finish: @escaping @Sendable () -> Void) {
        self.finish = finish
    }

    deinit { finish() }
}
