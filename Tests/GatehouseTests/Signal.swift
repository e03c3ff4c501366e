// SPDX-License-Identifier: Apache-2.0

/// Lets an asynchronous test wait for something that happens on another thread, without sleeping.
final class Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    /// A signal that has not been fired yet.
    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    /// Lets one wait return, past or future.
    func fire() { continuation.yield() }

    /// Returns once `fire` has been called.
    func wait() async {
        for await _ in stream { return }
    }
}
