// SPDX-License-Identifier: Apache-2.0

/// Ends a stream when the observer that holds this goes.
final class StreamEnd: Sendable {
    /// Finishes the stream; it is called once, when the last owner lets go.
    private let finish: @Sendable () -> Void

    /// Calls the closure when it goes.
    init(_ finish: @escaping @Sendable () -> Void) {
        self.finish = finish
    }

    deinit { finish() }
}
