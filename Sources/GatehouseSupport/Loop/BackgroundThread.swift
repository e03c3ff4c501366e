// SPDX-License-Identifier: Apache-2.0

private import CLinux

/// Starts threads that nobody waits for, such as one that takes signals while all others are busy.
public enum BackgroundThread {
    /// Takes a closure through the C function.
    private final class Body: Sendable {
        /// The work that the thread does.
        let run: @Sendable () -> Void

        /// Keeps what the thread does until it begins.
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs a closure on a thread of its own; false when the system refuses one, and nothing is run.
    @discardableResult
    public static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let kept = unsafe Unmanaged.passRetained(Body(body))
        let refused = unsafe gatehouse_start_thread(
            { context in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
            }, kept.toOpaque())
        if refused != 0 { unsafe kept.release() }
        return refused == 0
    }

    /// Runs a closure on a thread of its own, or, where the system refuses one, on one of those that all tasks share and that
    /// effects of plugins may keep.
    package static func perform(_ body: @escaping @Sendable () -> Void) {
        if !start(body) { Task.detached { body() } }
    }

    /// Runs a closure as `perform` does, and gives its result where the caller was.
    package static func value<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, of body: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            perform { continuation.resume(returning: body()) }
        }
    }
}
