// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

/// Tells the operator what clients do wrong: the first of a kind at once, the others in one line for each round of the server.
final class Complaints: Sendable {
    /// The kinds, of which there are few: what clients send makes no more of them.
    enum Kind: String, CaseIterable {
        /// A signature that is wrong, or none.
        case signature
        /// A signed body that had come before.
        case replay
        /// A token that is wrong.
        case token
        /// A request from elsewhere.
        case origin
        /// What is no HTTP, too long or too slow.
        case protocolError = "protocol"
    }

    /// Takes the lines.
    private let log: PluginLog
    /// Counts all of them.
    private let count: PluginStatus.Count
    /// How many of a kind were not told one by one, and the last of them; absent for a kind that is quiet.
    private let waiting = Mutex<[Kind: (count: Int, last: String)]>([:])

    /// Nothing to complain of so far.
    init(log: PluginLog, count: PluginStatus.Count) {
        self.log = log
        self.count = count
    }

    /// Tells of something, or counts it.
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

    /// Tells what was only counted; called once in a round.
    func tick() {
        let told = waiting.withLock { waiting in
            let told = Kind.allCases.compactMap { waiting[$0] }.filter { $0.count > 0 }
            // Who has been quiet for a round is told at once again.
            waiting = waiting.filter { $0.value.count > 0 }.mapValues { _ in (0, "") }
            return told
        }
        for (count, last) in told { log(.warning, "… and \(count) more like it, the last: \(last)") }
    }
}
