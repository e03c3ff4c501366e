// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The thread that calls a store, and threads that end with their work, for a store that has more to do than one caller should.
public enum StoreThread {
    /// The calling thread's number; never 0.
    public static var current: UInt { UInt(pthread_self()) }

    /// Carries the work to the thread.
    private final class Work: Sendable {
        /// The closure that the thread runs.
        let body: @Sendable () -> Void

        /// Wraps a closure.
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// The usual stack size of a program's first thread, because the same code runs on both.
    private static let stackBytes = 8 << 20

    /// Starts a thread for some work; returns false, having done nothing, if the system has none.
    ///
    /// The corresponding C function is `pthread_create`.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let work = unsafe Unmanaged.passRetained(Work(body))
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        unsafe pthread_attr_setstacksize(&attributes, stackBytes)
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                if let argument = unsafe argument {
                    unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                }
                return nil
            }, work.toOpaque())
        if code != 0 { unsafe work.release() }
        return code == 0
    }
}
