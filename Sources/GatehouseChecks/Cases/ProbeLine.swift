// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK

/// One line of input for `gatehouse probe`.
enum ProbeLine {
    /// Why a line is invalid: the column, from 1, and a sentence.
    struct Mistake: Error, Equatable {
        /// The column of the wrong part.
        let column: Int
        /// The description of the mistake.
        let sentence: String
    }

    /// Sends an action under its local name.
    case send(LocatedAction)
    /// Advances the clock.
    case advance(Duration)
    /// Opens or closes the gate.
    case gate(GateConfiguration.Default)

    /// The keys of a line that is not an action.
    private enum Key: String, CaseIterable {
        case advance, gate
    }

    /// Reads a line; nil for a blank one.
    ///
    /// - Throws: what is wrong with it.
    init?(_ bytes: [UInt8]) throws(Mistake) {
        if bytes.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { return nil }
        let log = LocatedLog()
        let node = LocatedNode(parsing: bytes, log: log)
        if let node, !Self.isCommand(node) {
            do throws(ActionRejection) {
                self = .send(try LocatedAction(node.value, line: 1))
            } catch {
                throw Mistake(column: error.column, sentence: "\(error.reason)")
            }
            return
        }
        let command = node.flatMap(Self.command)
        if let problem = log.problems.first {
            throw Mistake(column: problem.position.column, sentence: problem.words)
        }
        guard let command else {
            throw Mistake(column: 1, sentence: "expected an action, or \"advance\" or \"gate\"")
        }
        self = command
    }

    /// Whether a value is an object with a key that no action has, even if misspelled.
    private static func isCommand(_ node: LocatedNode) -> Bool {
        let keys = node.object?.members.map(\.key) ?? []
        if keys.contains(where: { Key(rawValue: $0) != nil }) { return true }
        return !keys.contains("type")
            && keys.contains { NearMiss.suggestion(for: $0, among: Key.allCases.map(\.rawValue)) != nil }
    }

    /// Reads an object with one key; nil, with a report, for any other.
    private static func command(_ node: LocatedNode) -> ProbeLine? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        if let gate = reader[.gate] {
            if reader[.advance] != nil {
                return gate.fail("\"advance\" and \"gate\" are both given; write each in a line of its own")
            }
            return gate.choice().map(ProbeLine.gate)
        }
        return reader[.advance].flatMap { $0.duration() }.map(ProbeLine.advance)
    }
}
