// SPDX-License-Identifier: Apache-2.0

private import CLinux

/// The queue of the main thread, which runs plugin code that is marked `@MainActor` or given to `DispatchQueue.main`.
///
/// Only plugins use it: the host works on another thread. An effect that waits for the main actor therefore gets there, and one that
/// blocks it blocks only its like.
enum MainQueue {
    /// Carries a closure through the C function.
    private final class Body {
        /// The work of the other thread, up to the end of the process.
        let run: () -> Never

        /// Keeps the closure until the other thread has it.
        init(_ run: @escaping () -> Never) { self.run = run }
    }

    /// Serves the queue for the life of the process, and runs the program on another thread; call it on the main thread.
    ///
    /// - Parameter body: the work of that thread. The calling thread uses none of it from here on.
    /// - Returns: only when the system refuses the thread.
    static func serve(beside body: @escaping () -> Never) -> ExitCode {
        let kept = unsafe Unmanaged.passRetained(Body(body))
        _ = unsafe gatehouse_serve_main_queue(
            { context in
                gatehouse_begin_work()
                guard let context = unsafe context else { return nil }
                unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
            }, kept.toOpaque())
        unsafe kept.release()
        return .internalError.because(
            "the system refuses a thread beside the main one; raise the limit with ulimit -u")
    }
}
