// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

/// Reports clients' mistakes to the operator: the first of a kind at once, the others in one line per round of the server.
final class ThrottledLog: Sendable {
    /// The kinds; their number does not depend on what clients send.
    enum Kind: String, CaseIterable {
        /// A wrong or missing signature.
        case signature
        /// A signed body that had come before.
        case replay
        /// A wrong token.
        case token
        /// A request from another site.
        case origin
        /// Invalid, too long or too slow HTTP.
        case protocolError = "protocol"
    }

    /// Takes the lines.
    private let log: PluginLog
    /// Counts every complaint.
    private let count: PluginStatus.Count
    /// The number of unreported complaints of a kind, and the last of them; absent for a quiet kind.
    private let waiting = Mutex<[Kind: (count: Int, last: String)]>([:])

    /// Starts without complaints.
    init(log: PluginLog, count: PluginStatus.Count) {
        self.log = log
        self.count = count
    }

    /// Reports a complaint, or counts it.
    func note(_ kind: Kind, _ sentence: String) {
        count("refused_\(kind.rawValue)")
        let isFirst = waiting.withLock { waiting in
            guard let before = waiting[kind] else {
                waiting[kind] = (0, "")
                return true
            }
            waiting[kind] = (before.count + 1, sentence)
            return false
        }
        if isFirst { log(.warning, sentence) }
    }

    /// Reports the complaints that were only counted; called once in a round.
    func tick() {
        let told = waiting.withLock { waiting in
            let told = Kind.allCases.compactMap { waiting[$0] }.filter { $0.count > 0 }
            // A kind that was quiet for a round is reported at once again.
            waiting = waiting.filter { $0.value.count > 0 }.mapValues { _ in (0, "") }
            return told
        }
        for (count, last) in told { log(.warning, "… and \(count) more like it, the last: \(last)") }
    }
}
