// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread that is waited for.
@safe struct JoinableThread {
    /// What it does, kept until it is done.
    private final class Work {
        /// What it does.
        let body: @Sendable () -> Void

        /// Work of a thread.
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// The thread.
    private let thread: pthread_t

    /// Starts one.
    init(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let work = unsafe Unmanaged.passRetained(Work(body)).toOpaque()
        let failure = unsafe pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer = unsafe pointer else { return nil }
                unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
                return nil
            }, work)
        precondition(failure == 0)
        self.thread = thread
    }

    /// Waits until it has ended.
    func join() { _ = pthread_join(thread, nil) }
}
