// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Takes reports from any thread, counts them, and passes them on.
public final class ReportDesk: Sendable {
    /// What is guarded by the lock.
    private struct Counts {
        /// Reports about lines that are no action and payloads that do not fit.
        var badData = 0
    }

    /// The counts; the lock is not held while a report is passed on.
    private let counts = Mutex(Counts())
    /// Where reports go.
    private let write: @Sendable (HostReport) -> Void

    /// A desk that passes reports on to a closure, which must be callable from any thread.
    public init(_ write: @escaping @Sendable (HostReport) -> Void) {
        self.write = write
    }

    /// Passes a report on.
    public func send(_ report: HostReport) {
        if report.isBadData { counts.withLock { $0.badData += 1 } }
        write(report)
    }

    /// How many reports were about bad data: lines that are no action, payloads that do not fit.
    public var badDataCount: Int { counts.withLock { $0.badData } }
}
