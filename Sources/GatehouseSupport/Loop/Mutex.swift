// SPDX-License-Identifier: Apache-2.0

#if SANITIZE_THREAD
    internal import GatehouseSDK

    /// Replaces the standard library's mutex in builds with the thread sanitizer, which cannot see that one; see `Lock`.
    final class Mutex<Value>: Sendable {
        /// The lock that the sanitizer sees.
        private let lock: Lock<Value>

        /// Takes ownership of a value.
        init(_ value: sending Value) { lock = Lock(value) }

        /// Calls the closure with the value while no other thread has it.
        func withLock<Result, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try lock.withLock(body)
        }
    }
#endif
