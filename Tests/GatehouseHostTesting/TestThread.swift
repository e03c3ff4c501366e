// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// A separate thread for a test that must block; tasks and Dispatch's global queues would block the few threads that run all
/// other tests.
public final class TestThread<Value: Sendable>: Sendable {
    /// The result of the body, after it has ended.
    private let outcome: Work<Value>
    private let thread: pthread_t

    /// Starts the body at once.
    public init(_ body: @escaping @Sendable () throws -> Value) throws {
        let outcome = Work<Value>()
        self.outcome = outcome
        let start = Start { outcome.result.withLock { $0 = Result { try body() } } }
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(start).toOpaque()
        let refused = unsafe pthread_create(
            &thread, nil,
            { context in
                if let context = unsafe context {
                    unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
                }
                return nil
            }, context)
        self.thread = thread
        guard refused == 0 else { throw SystemFailure("pthread_create") }
    }

    /// Runs a body on a separate thread and returns its result or throws its error.
    ///
    /// Waits without blocking one of the few threads that tasks run on, for a body that waits for tasks.
    public static func value(of body: @escaping @Sendable () throws -> Value) async throws -> Value {
        var thread: TestThread<Void>?
        let value = try await withCheckedThrowingContinuation { continuation in
            do {
                thread = try TestThread<Void> { continuation.resume(with: Result { try body() }) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        try thread?.join()
        return value
    }

    /// Waits for the body and returns its result or throws its error; call it once.
    public func join() throws -> Value {
        pthread_join(thread, nil)
        guard let result = outcome.result.withLock({ $0 }) else {
            throw SystemFailure("a thread left no result")
        }
        return try result.get()
    }
}

/// Receives the result of a thread.
private final class Work<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
}

/// The argument of a new thread.
private final class Start: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
