// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Receives reports from any thread, counts them, and passes them on; of many similar ones only the first, and now and
/// then the number of further ones.
package final class Reporter: Sendable {
    /// How many reports of one kind are passed on.
    static let shownOfKind = 100

    /// The most kinds distinguished; the rest is one kind, so that no input can make more of them.
    private static let mostKinds = 1_000

    /// The longest time that further reports are only counted.
    private static let longestSilence = Duration.seconds(60)

    /// The record of one kind.
    private struct Kind {
        /// The number of reports.
        var count = 0
        /// The number of reports only counted since the last summary, and the last of them.
        var untold: (count: Int, last: HostReport)?
        /// When the summary is due, if another report comes by then.
        var due: Duration?

        /// Returns a summary of the reports only counted, once.
        mutating func takeUntold() -> HostReport? {
            defer { (untold, due) = (nil, nil) }
            return untold.map { .more($0.count, last: $0.last) }
        }
    }

    /// The state guarded by the lock.
    private struct Counts {
        /// Reports about lines that are not admitted actions, and payloads that do not fit.
        var badData = 0
        /// The kinds of reports, by name.
        var kinds: [String: Kind] = [:]
        /// The names, in order of arrival.
        var order: [String] = []
        /// Who hears every report, also those that are only counted; nil for nobody.
        var listener: (@Sendable (HostReport) -> Void)?
    }

    /// The counts; the lock is not held while a report is passed on.
    private let counts = Mutex(Counts())
    /// Writes a report.
    private let write: @Sendable (HostReport) -> Void

    /// The time since some moment.
    private let now: @Sendable () -> Duration

    /// Creates a reporter that passes reports on to a closure, which must be callable from any thread.
    ///
    /// - Parameter now: a monotonic time since some moment; called when a report exceeds the limit of its kind.
    package init(
        now: @escaping @Sendable () -> Duration = Reporter.uptime,
        _ write: @escaping @Sendable (HostReport) -> Void
    ) {
        self.now = now
        self.write = write
    }

    /// The time since the first use.
    package static let uptime: @Sendable () -> Duration = { [start = ContinuousClock.now] in
        start.duration(to: .now)
    }

    /// Counts a report and passes it on, unless it exceeds the limit of its kind.
    package func send(_ report: HostReport) {
        CurrentTrace.note(report)
        let name = report.kind
        let (shown, listener) = counts.withLock { counts in
            if report.isBadData { counts.badData += 1 }
            let shown: HostReport? = name.map { enter(report, as: $0, in: &counts) } ?? report
            return (shown, counts.listener)
        }
        listener?(report)
        if let shown { write(shown) }
    }

    /// Tells somebody every report from here on, also those that are only counted, on the thread that sends it; nil for nobody.
    package func tell(_ listener: (@Sendable (HostReport) -> Void)?) {
        counts.withLock { $0.listener = listener }
    }

    /// The number of reports about bad data: lines that are not admitted actions, payloads that do not fit.
    package var badDataCount: Int { counts.withLock { $0.badData } }

    /// Passes on summaries of the reports only counted; later reports are counted from zero.
    package func tellRest() {
        for report in takeRest() { write(report) }
    }

    /// Returns the summaries for callers that pass them on themselves.
    package func takeRest() -> [HostReport] {
        counts.withLock { counts in
            defer { (counts.kinds, counts.order) = ([:], []) }
            return counts.order.compactMap { counts.kinds[$0]?.takeUntold() }
        }
    }

    /// Counts a report of a kind; returns the report to pass on, nil for none.
    private func enter(_ report: HostReport, as name: String, in counts: inout Counts) -> HostReport? {
        let name = counts.kinds[name] != nil || counts.order.count < Self.mostKinds ? name : ""
        if counts.kinds[name] == nil { counts.order.append(name) }
        var kind = counts.kinds.removeValue(forKey: name) ?? Kind()
        defer { counts.kinds[name] = kind }
        kind.count += 1
        guard kind.count > Self.shownOfKind else { return report }
        kind.untold = ((kind.untold?.count ?? 0) + 1, report)
        let now = now()
        guard let due = kind.due else {
            kind.due = now + Self.longestSilence
            return nil
        }
        return now < due ? nil : kind.takeUntold()
    }
}
