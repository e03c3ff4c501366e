// SPDX-License-Identifier: Apache-2.0

private import CLinux

/// The queue of the main thread, on which code of plugins runs that is marked `@MainActor` or given to `DispatchQueue.main`.
///
/// It belongs to plugins alone: a host does its own work on another thread, so that an effect that waits for the main actor gets
/// there, and one that keeps it keeps nobody but its like.
enum MainQueue {
    /// Takes a closure through the C function.
    private final class Body {
        /// What the other thread does, up to the end of the process.
        let run: () -> Never

        /// Keeps the closure until the other thread has it.
        init(_ run: @escaping () -> Never) { self.run = run }
    }

    /// Serves the queue as long as the process lives, and does the program's work on a thread of its own; call it on the main thread.
    ///
    /// - Parameter body: what is done there. The calling thread uses nothing of it from here on.
    /// - Returns: only when the system refuses the thread.
    static func serve(beside body: @escaping () -> Never) -> ExitCode {
        let kept = unsafe Unmanaged.passRetained(Body(body))
        _ = unsafe gatehouse_serve_main_queue(
            { context in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
            }, kept.toOpaque())
        unsafe kept.release()
        StandardError.writeLine(
            "gatehouse: the system refuses a thread beside the main one; allow more with ulimit -u")
        return .internalError
    }
}
