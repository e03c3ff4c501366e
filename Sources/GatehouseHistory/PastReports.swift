// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
private import Synchronization

/// Collects reports about bad data from a host that looks into the past; callable from any thread.
final class PastReports: Sendable {
    /// The most reports kept.
    private static let most = 1_000
    /// The sentences in order, and the number of reports.
    private let content = Mutex<(kept: [String], count: Int)>(([], 0))

    /// Creates an empty collection.
    init() {}

    /// Records a report if it is about bad data or a denied operation.
    func add(_ report: HostReport) {
        switch report {
        case .undecodable, .unwritable, .unusableState, .refusedOutput, .unreadableGate, .cut, .failed: break
        default: return
        }
        content.withLock { content in
            content.count += 1
            if content.kept.count < Self.most { content.kept.append("\(report)") }
        }
    }

    /// Removes all reports.
    func clear() { content.withLock { $0 = ([], 0) } }

    /// The sentences; possibly fewer than there were reports.
    var sentences: [String] { content.withLock { $0.kept } }

    /// The number of reports.
    var count: Int { content.withLock { $0.count } }
}
