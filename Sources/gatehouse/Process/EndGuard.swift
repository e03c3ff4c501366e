// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Glibc
private import Synchronization

/// Notices when a plugin ends the process or its main thread, which would otherwise pass for an end of the run.
enum EndGuard {
    /// What is known about the run when that happens; called on the thread that does it.
    struct Report: Sendable {
        /// The id of the instance whose code the calling thread runs, nil when that is not known.
        var instance: @Sendable () -> String? = { nil }
        /// Says what was done so far.
        var summary: @Sendable () -> String = { "gatehouse: nothing was run" }
    }

    /// What to tell.
    private static let report = Mutex(Report())

    /// Begins to watch; call it once, on the main thread.
    static func begin() {
        _ = gatehouse_guard_end { status in
            gatehouse_expect_end()
            let report = EndGuard.report.withLock { $0 }
            // Takes no lock: this thread may hold any.
            _ = gatehouse_output_rescue(1000)
            let who = report.instance() ?? "a plugin"
            let what = status < 0 ? "ended the main thread" : "called exit(\(status))"
            StandardError.writeLine(
                "gatehouse: \(who) \(what); only the host may end the run, and the rest of the input is not processed"
            )
            StandardError.writeLine(report.summary())
            _exit(ExitCode.internalError.rawValue)
        }
    }

    /// Learns what to tell.
    static func tell(_ change: (inout Report) -> Void) {
        report.withLock { report in change(&report) }
    }

    /// The end that comes now is wanted.
    static func finish() { gatehouse_expect_end() }
}
