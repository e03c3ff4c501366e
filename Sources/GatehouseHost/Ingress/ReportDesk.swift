// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Takes reports from any thread, counts them, and passes them on; of many that are alike only the first ones.
public final class ReportDesk: Sendable {
    /// How many reports of one kind are passed on.
    public static let shownOfKind = 100

    /// How many kinds are told apart; the rest is one kind, so that no input can make more of them.
    private static let mostKinds = 1_000

    /// What came of one kind.
    private struct Kind {
        /// How many there were.
        var count = 0
        /// The last one that was not passed on.
        var last: HostReport?
    }

    /// What is guarded by the lock.
    private struct Counts {
        /// Reports about lines that are no action, or one that may not come in, and payloads that do not fit.
        var badData = 0
        /// By name.
        var kinds: [String: Kind] = [:]
        /// The names in the order in which they came.
        var order: [String] = []
    }

    /// The counts; the lock is not held while a report is passed on.
    private let counts = Mutex(Counts())
    /// Where reports go.
    private let write: @Sendable (HostReport) -> Void

    /// A desk that passes reports on to a closure, which must be callable from any thread.
    public init(_ write: @escaping @Sendable (HostReport) -> Void) {
        self.write = write
    }

    /// Counts a report and passes it on, unless it is one too many of its kind.
    public func send(_ report: HostReport) {
        let name = report.kind
        let isShown = counts.withLock { counts in
            if report.isBadData { counts.badData += 1 }
            return name.map { Self.enter(report, as: $0, in: &counts) } ?? true
        }
        if isShown { write(report) }
    }

    /// How many reports were about bad data: lines that are no action or one that may not come in, payloads that do not fit.
    public var badDataCount: Int { counts.withLock { $0.badData } }

    /// Passes on how many of each kind were only counted; those that come later are counted anew.
    public func tellRest() {
        for report in takeRest() { write(report) }
    }

    /// The same for who passes them on in another way.
    public func takeRest() -> [HostReport] {
        let kinds = counts.withLock { counts in
            defer { (counts.kinds, counts.order) = ([:], []) }
            return counts.order.compactMap { counts.kinds[$0] }
        }
        return kinds.compactMap { kind in
            kind.last.map { .more(kind.count - Self.shownOfKind, last: $0) }
        }
    }

    /// Counts a report of a kind; tells whether it is passed on.
    private static func enter(_ report: HostReport, as name: String, in counts: inout Counts) -> Bool {
        let name = counts.kinds[name] != nil || counts.order.count < mostKinds ? name : ""
        if counts.kinds[name] == nil { counts.order.append(name) }
        counts.kinds[name, default: Kind()].count += 1
        guard counts.kinds[name, default: Kind()].count > shownOfKind else { return true }
        counts.kinds[name]?.last = report
        return false
    }
}
