// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Glibc
private import Synchronization

/// Knows what to say when a run is over without an end, and notices when a plugin does that to it: by ending the process, its
/// main thread, or another thread while it runs actions.
enum EndGuard {
    /// What is known about the run when that happens.
    struct Report: Sendable {
        /// The id of the instance whose code the calling thread runs, nil when it runs none.
        var instance: @Sendable () -> String? = { nil }
        /// Says what was done so far.
        var summary: @Sendable () -> String = { "gatehouse: nothing was run" }
    }

    /// The words that are told at the end, guarded by the lock.
    private static let report = Mutex(Report())

    /// Begins to watch; call it once, on the main thread.
    static func begin() {
        _ = gatehouse_guard_end { status in
            let report = EndGuard.report.withLock { $0 }
            let instance = report.instance()
            // Threads that run no action end as they like.
            if status == Int32(GATEHOUSE_OTHER_THREAD_ENDS), instance == nil { return }
            gatehouse_expect_end()
            // Takes no lock: this thread may hold any.
            _ = gatehouse_output_rescue(1000)
            let who = instance ?? "a plugin"
            let what =
                switch status {
                case Int32(GATEHOUSE_MAIN_THREAD_ENDS): "ended the main thread"
                case Int32(GATEHOUSE_OTHER_THREAD_ENDS): "ended the thread that it was called on"
                default: "called exit(\(status))"
                }
            StandardError.writeLine(
                "gatehouse: \(who) \(what); only the host may end the run, and the rest of the input is not processed"
            )
            StandardError.writeLine(report.summary())
            _exit(ExitCode.internalError.rawValue)
        }
    }

    /// What was done so far, in one line or several; callable from any thread.
    static var summary: String { report.withLock { $0 }.summary() }

    /// Learns what to tell.
    static func tell(_ change: (inout Report) -> Void) {
        report.withLock { report in change(&report) }
    }

    /// The end that comes now is wanted.
    static func finish() { gatehouse_expect_end() }
}
