// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A thread that writes while a test reads.
public final class TestWriter: Sendable {
    /// The thread that writes.
    private let thread: pthread_t

    /// Carries the closure through the C function.
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs a closure on a separate thread, which may block.
    public init(_ body: @escaping @Sendable () -> Void) throws {
        var thread = pthread_t()
        let kept = unsafe Unmanaged.passRetained(Body(body))
        let code = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, kept.toOpaque())
        guard code == 0 else { throw SystemFailure("pthread_create") }
        self.thread = thread
    }

    /// Waits until the closure has ended.
    public func join() { pthread_join(thread, nil) }
}
