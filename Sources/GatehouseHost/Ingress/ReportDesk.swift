// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Takes reports from any thread, counts them, and passes them on; of many that are alike only the first ones, and now and
/// then how many more there were.
public final class ReportDesk: Sendable {
    /// How many reports of one kind are passed on.
    public static let shownOfKind = 100

    /// How many kinds are told apart; the rest is one kind, so that no input can make more of them.
    private static let mostKinds = 1_000

    /// How long reports are only counted at most while more of them come.
    private static let longestSilence = Duration.seconds(60)

    /// What came of one kind.
    private struct Kind {
        /// How many there were.
        var count = 0
        /// How many of them were only counted since that was last told, and the last of them.
        var untold: (count: Int, last: HostReport)?
        /// When they are told, if another one comes by then.
        var due: Duration?

        /// Says what was only counted, once.
        mutating func takeUntold() -> HostReport? {
            defer { (untold, due) = (nil, nil) }
            return untold.map { .more($0.count, last: $0.last) }
        }
    }

    /// What is guarded by the lock.
    private struct Counts {
        /// Reports about lines that are no action, or one that may not come in, and payloads that do not fit.
        var badData = 0
        /// The kinds of reports by their names.
        var kinds: [String: Kind] = [:]
        /// The names in the order in which they came.
        var order: [String] = []
    }

    /// The counts; the lock is not held while a report is passed on.
    private let counts = Mutex(Counts())
    /// The function that writes a report.
    private let write: @Sendable (HostReport) -> Void

    /// The time since some moment.
    private let now: @Sendable () -> Duration

    /// A desk that passes reports on to a closure, which must be callable from any thread.
    ///
    /// - Parameter now: the time since some moment, which only grows; asked when a report is one too many of its kind.
    public init(
        now: @escaping @Sendable () -> Duration = ReportDesk.uptime,
        _ write: @escaping @Sendable (HostReport) -> Void
    ) {
        self.now = now
        self.write = write
    }

    /// The time since this was first asked for.
    public static let uptime: @Sendable () -> Duration = { [start = ContinuousClock.now] in
        start.duration(to: .now)
    }

    /// Counts a report and passes it on, unless it is one too many of its kind.
    public func send(_ report: HostReport) {
        let name = report.kind
        let shown = counts.withLock { counts in
            if report.isBadData { counts.badData += 1 }
            return name.map { enter(report, as: $0, in: &counts) } ?? report
        }
        if let shown { write(shown) }
    }

    /// How many reports were about bad data: lines that are no action or one that may not come in, payloads that do not fit.
    public var badDataCount: Int { counts.withLock { $0.badData } }

    /// Passes on how many of each kind were only counted; those that come later are counted anew.
    public func tellRest() {
        for report in takeRest() { write(report) }
    }

    /// The same for who passes them on in another way.
    public func takeRest() -> [HostReport] {
        counts.withLock { counts in
            defer { (counts.kinds, counts.order) = ([:], []) }
            return counts.order.compactMap { counts.kinds[$0]?.takeUntold() }
        }
    }

    /// Counts a report of a kind; returns what is passed on, nil for nothing.
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
