// SPDX-License-Identifier: Apache-2.0

#if SANITIZE_THREAD
    internal import GatehouseSDK

    /// Stands for the standard library's in builds under the thread sanitizer, which sees nothing of that one; see `Lock`.
    final class Mutex<Value>: Sendable {
        /// What the sanitizer sees.
        private let lock: Lock<Value>

        /// Takes over a value that nobody else holds.
        init(_ value: sending Value) { lock = Lock(value) }

        /// Calls the closure with the value while no other thread has it.
        func withLock<Result, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try lock.withLock(body)
        }
    }
#endif
