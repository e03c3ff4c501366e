// SPDX-License-Identifier: Apache-2.0

#if SANITIZE_THREAD
    private import Glibc

    /// A value that one thread at a time may touch; the form for builds under the thread sanitizer.
    ///
    /// The standard library's `Mutex` locks and wakes in code compiled without the sanitizer, which therefore sees no order
    /// between two threads that hold it one after the other, and reports data races on the guarded value; a program of one
    /// `Mutex` and two threads shows it. The sanitizer knows `pthread_mutex_t`, so its reports here are real. The library
    /// guards everything with `Lock`, so the two builds differ in nothing else. Public in such builds only, for the host, which
    /// uses it in place of `Mutex`.
    ///
    /// `@unchecked Sendable`: `mutex` is a constant, and `value` is touched between locking and unlocking it only.
    @safe
    public final class Lock<Value>: @unchecked Sendable {
        /// At a fixed address, as the C functions require.
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>
        /// The value that only the holder of the lock may touch.
        private var value: Value

        /// Takes over a value that nothing else references.
        public init(_ value: sending Value) {
            unsafe mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
            unsafe pthread_mutex_init(mutex, nil)
            self.value = value
        }

        deinit {
            unsafe pthread_mutex_destroy(mutex)
            unsafe mutex.deallocate()
        }

        /// Calls the closure with the value while no other thread has it; not reentrant.
        public func withLock<Result, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            unsafe pthread_mutex_lock(mutex)
            defer { unsafe pthread_mutex_unlock(mutex) }
            return try body(&value)
        }
    }
#else
    public import Synchronization

    /// A value that one thread at a time may touch.
    @usableFromInline
    package typealias Lock<Value: ~Copyable> = Mutex<Value>
#endif
