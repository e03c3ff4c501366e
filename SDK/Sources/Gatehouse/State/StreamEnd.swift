// SPDX-License-Identifier: Apache-2.0

/// Ends a stream when the observer that holds this goes.
final class StreamEnd: Sendable {
    /// Called once.
    private let finish: @Sendable () -> Void

    /// Calls the closure when it goes.
    init(_ finish: @escaping @Sendable () -> Void) {
        self.finish = finish
    }

    deinit { finish() }
}
