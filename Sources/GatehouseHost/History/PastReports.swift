// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// What a host that looks back has to report about bad data; callable from any thread.
final class PastReports: Sendable {
    /// So many are kept.
    private static let most = 1_000
    /// The sentences, in order, and how many there were.
    private let content = Mutex<(kept: [String], count: Int)>(([], 0))

    /// Nothing yet.
    init() {}

    /// Takes note of a report, if it is about bad data or what an instance may not do.
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

    /// Forgets all of them.
    func clear() { content.withLock { $0 = ([], 0) } }

    /// The sentences, of which there may be fewer than there were reports.
    var sentences: [String] { content.withLock { $0.kept } }

    /// How many there were.
    var count: Int { content.withLock { $0.count } }
}
