// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
private import Synchronization

/// Collects reports about bad data from a host that looks into the past; callable from any thread.
final class PastReports: Sendable {
    /// What a report is about.
    struct Subject: Hashable, Comparable, Sendable {
        /// The instance concerned; empty where it is none.
        let instance: String
        /// What is wrong, as the end of "3 …".
        let problem: String

        static func < (one: Subject, other: Subject) -> Bool {
            (one.instance, one.problem) < (other.instance, other.problem)
        }
    }

    /// What the lock guards.
    private struct Content {
        /// The first sentences, in order.
        var kept: [String] = []
        /// The number of reports.
        var count = 0
        /// The same by subject.
        var counts: [Subject: Int] = [:]
    }

    /// The most sentences kept.
    private static let most = 1_000
    /// The reports so far.
    private let content = Mutex(Content())

    /// Creates an empty collection.
    init() {}

    /// Records a report if it is about bad data or a denied operation.
    func add(_ report: HostReport) {
        let subject: Subject
        switch report {
        case .undecodable(_, _, let type, let instance, _):
            subject = Subject(instance: instance, problem: "\(type) that it cannot read")
        case .unwritable(let instance, _):
            subject = Subject(instance: instance, problem: "emissions that cannot be written as JSON")
        case .unusableState(_, let type, let instance, _):
            subject = Subject(instance: instance, problem: "\(type) that leave it without a usable state")
        case .refusedOutput(let instance, let type, _):
            subject = Subject(instance: instance, problem: "\(type) that it may not emit")
        case .unreadableGate(let instance, _, _):
            subject = Subject(instance: instance, problem: "looks at its gate's state that fail")
        case .failed(let action, let instance, _):
            subject = Subject(instance: instance, problem: "\(action) that it has not done")
        case .cut(let cut):
            subject = Subject(instance: "", problem: "\(cut.type) that lead to too many others")
        default: return
        }
        content.withLock { content in
            content.count += 1
            content.counts[subject, default: 0] += 1
            if content.kept.count < Self.most { content.kept.append("\(report)") }
        }
    }

    /// Removes all reports.
    func clear() { content.withLock { $0 = Content() } }

    /// The sentences; possibly fewer than there were reports.
    var sentences: [String] { content.withLock { $0.kept } }

    /// The number of reports.
    var count: Int { content.withLock { $0.count } }

    /// The number of reports by subject.
    var counts: [Subject: Int] { content.withLock { $0.counts } }
}
