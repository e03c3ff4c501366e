// SPDX-License-Identifier: Apache-2.0

private import CLinux

/// Starts threads that are never joined, such as one that takes signals while all others are busy.
package enum BackgroundThread {
    /// Carries a closure through the C function.
    private final class Body: Sendable {
        /// The work that the thread does.
        let run: @Sendable () -> Void

        /// Keeps the work until the thread begins.
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs a closure on its own thread; returns false, without running it, when the system refuses one.
    @discardableResult
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let kept = unsafe Unmanaged.passRetained(Body(body))
        let refused = unsafe gatehouse_start_thread(
            { context in
                guard let context = unsafe context else { return nil }
                unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, kept.toOpaque())
        if refused != 0 { unsafe kept.release() }
        return refused == 0
    }

    /// Runs a closure on its own thread. Where the system refuses one, uses a thread of the pool that all tasks share and
    /// that effects of plugins may block.
    package static func perform(_ body: @escaping @Sendable () -> Void) {
        if !start(body) { Task.detached { body() } }
    }

    /// Runs a closure as `perform` does, and returns its result to the caller's isolation.
    package static func value<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, of body: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            perform { continuation.resume(returning: body()) }
        }
    }
}
