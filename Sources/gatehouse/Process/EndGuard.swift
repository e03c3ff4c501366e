// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Glibc
private import Synchronization

/// Knows what to say when a run is over without an end, and notices when a plugin does that to it: by ending the process, its
/// main thread, or another thread while it runs actions. The black box keeps who it was; a supervisor starts the host again.
enum EndGuard {
    /// What is known about the run when that happens.
    struct Report: Sendable {
        /// The id of the instance whose code the calling thread runs, nil when it runs none.
        var instance: @Sendable () -> String? = { nil }
        /// Whether a supervisor reads the black box, and takes this for a death.
        var isSupervised = false
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
            let end =
                switch status {
                case Int32(GATEHOUSE_MAIN_THREAD_ENDS): GATEHOUSE_END_MAIN_THREAD
                case Int32(GATEHOUSE_OTHER_THREAD_ENDS): GATEHOUSE_END_OTHER_THREAD
                default: GATEHOUSE_END_EXIT
                }
            gatehouse_note_end(end.rawValue, status, report.isSupervised)
            // Takes no lock: this thread may hold any.
            _ = gatehouse_output_rescue(1000)
            if report.isSupervised { _exit(ExitCode.internalError.rawValue) }
            let who = instance ?? "a plugin"
            let what =
                switch end {
                case GATEHOUSE_END_MAIN_THREAD: "ended the main thread"
                case GATEHOUSE_END_OTHER_THREAD: "ended the thread that it was called on"
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
