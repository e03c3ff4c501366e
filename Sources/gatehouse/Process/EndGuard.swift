// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSDK
private import Glibc
private import Synchronization

/// Detects when a plugin ends the run by ending the process, its main thread, or another thread while it runs actions, and
/// reports it. The flight recorder records the culprit; a supervisor starts the host again.
enum EndGuard {
    /// Facts about the run for the report.
    struct Report: Sendable {
        /// The id of the instance whose code the calling thread runs, nil when it runs none.
        var instance: @Sendable () -> String? = { nil }
        /// Whether a supervisor reads the flight recorder, and treats this as a death.
        var isSupervised = false
        /// Describes what was done so far.
        var summary: @Sendable () -> String = { "gatehouse: nothing was run" }
    }

    /// The facts to report, guarded by the lock.
    private static let report = Mutex(Report())

    /// Starts watching; call it once, on the main thread.
    static func begin() {
        _ = gatehouse_guard_end { status in
            let report = EndGuard.report.withLock { $0 }
            let instance = report.instance()
            // Threads that run no action may end at any time.
            if status == Int32(GATEHOUSE_OTHER_THREAD_ENDS), instance == nil { return }
            gatehouse_expect_end()
            let end =
                switch status {
                case Int32(GATEHOUSE_MAIN_THREAD_ENDS): GATEHOUSE_END_MAIN_THREAD
                case Int32(GATEHOUSE_OTHER_THREAD_ENDS): GATEHOUSE_END_OTHER_THREAD
                default: GATEHOUSE_END_EXIT
                }
            gatehouse_note_end(end.rawValue, status, report.isSupervised)
            // Takes no lock, because this thread may hold any.
            _ = gatehouse_output_rescue(1000)
            if report.isSupervised { _exit(ExitCode.internalError.rawValue) }
            let who = instance ?? "a plugin"
            let what =
                switch end {
                case GATEHOUSE_END_MAIN_THREAD: "ended the main thread"
                case GATEHOUSE_END_OTHER_THREAD: "ended the thread it was called on"
                default: "called exit(\(status))"
                }
            StandardError.tell(
                "\(who) \(what); only the host may end the run, and the remaining input is not processed",
                .error)
            StandardError.writeLine(report.summary())
            _exit(ExitCode.internalError.rawValue)
        }
    }

    /// What was done so far, on one or several lines; callable from any thread.
    static var summary: String { report.withLock { $0 }.summary() }

    /// Updates the facts to report.
    static func tell(_ change: (inout Report) -> Void) { report.withLock { report in change(&report) } }

    /// Declares that the end about to come is intended.
    static func finish() { gatehouse_expect_end() }
}
