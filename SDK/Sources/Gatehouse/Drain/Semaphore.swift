// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// A counter that threads sleep on; starts at zero.
///
/// The corresponding C type is `sem_t`.
///
/// `@unchecked Sendable`: the pointer is a constant, and the C functions may be called from any thread at once.
@safe
final class Semaphore: @unchecked Sendable {
    /// At a fixed address, as the C functions require.
    private let storage: UnsafeMutablePointer<sem_t>

    /// Creates a counter at zero.
    init() {
        unsafe storage = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        unsafe sem_init(storage, 0, 0)
    }

    deinit {
        unsafe sem_destroy(storage)
        unsafe storage.deallocate()
    }

    /// Lets one past or future wait return; callable from any thread.
    func signal() { unsafe sem_post(storage) }

    /// Sleeps until it can take a signal.
    func wait() {
        // Fails only when a signal handler interrupted it.
        while unsafe sem_wait(storage) != 0 {}
    }
}
