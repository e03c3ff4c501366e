// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import SeededTesting
import Synchronization

/// A writer that numbers its lines and reads what the host acknowledges, while the host may die at any moment.
///
/// One that names its lines sends again, over the next connection, what was not acknowledged; another one goes on with the next
/// number, because it cannot know what was taken.
final class NumberingWriter: Sendable {
    /// What is known of the numbers.
    struct Account {
        /// The highest number that was sent.
        var sent = 0
        /// Runs of numbers that were acknowledged, in order.
        var acknowledged: [ClosedRange<Int>] = []
        /// Answers that are no acknowledgement.
        var oddities: [String] = []

        /// Takes note of an acknowledgement.
        mutating func acknowledge(_ run: ClosedRange<Int>) {
            if let last = acknowledged.last, last.upperBound + 1 == run.lowerBound {
                acknowledged[acknowledged.count - 1] = last.lowerBound...run.upperBound
            } else {
                acknowledged.append(run)
            }
        }
    }

    /// The writer's name in the state.
    let name: String
    /// Whether its lines have names of their own, so that it may send them again.
    let namesLines: Bool
    /// The deeds of numbers that are not merely entered.
    private let deeds: [Int: String]
    private let guarded = Mutex(Account())

    /// A writer that has sent nothing.
    init(_ name: String, namingLines namesLines: Bool, deeds: [Int: String] = [:]) {
        self.name = name
        self.namesLines = namesLines
        self.deeds = deeds
    }

    /// What is known so far.
    var account: Account { guarded.withLock { $0 } }

    /// Whether it has not sent all up to a number, or, naming its lines, some of them were not acknowledged.
    func isLeft(upTo last: Int) -> Bool {
        let account = account
        return (namesLines ? account.acknowledged.last?.upperBound ?? 0 : account.sent) < last
    }

    /// So many lines may wait for their acknowledgement.
    private static let window = 64

    /// Writes over one connection until it breaks, or all up to a last number is acknowledged.
    ///
    /// - Parameter seed: decides how many lines are written at once.
    func write(to path: String, upTo last: Int = .max, seed: UInt64) {
        guard let connection = try? LocalConnection(path) else { return }
        var generator = SeededGenerator(seed: seed)
        let account = account
        // Lines of this connection are counted from here.
        let base = namesLines ? account.acknowledged.last?.upperBound ?? 0 : account.sent
        var (written, done) = (0, 0)
        while base + done < last {
            let room = min(Self.window - (written - done), last - base - written)
            if room > 0, written == done || Bool.random(using: &generator) {
                let count = Int.random(in: 1...room, using: &generator)
                let numbers = (base + written + 1)...(base + written + count)
                guarded.withLock { $0.sent = max($0.sent, numbers.upperBound) }
                guard connection.write(numbers.map(line).joined()) else { return }
                written += count
            } else {
                guard let answer = connection.readLine() else { return }
                guard let count = Self.acknowledged(by: answer), count > done, count <= written else {
                    return guarded.withLock { $0.oddities.append(answer) }
                }
                let run = (base + done + 1)...(base + count)
                guarded.withLock { $0.acknowledge(run) }
                done = count
            }
        }
    }

    /// The line with a number.
    private func line(_ number: Int) -> String {
        let deed = deeds[number].map { #","deed":"\#($0)""# } ?? ""
        let meta = namesLines ? #","meta":{"id":"\#(name)-\#(number)"}"# : ""
        return #"{"type":"ledger/enter","payload":{"writer":"\#(name)","number":\#(number)\#(deed)}\#(meta)}"#
            + "\n"
    }

    /// How many lines of the connection are done with; nil for anything else that the host says.
    private static func acknowledged(by answer: String) -> Int? {
        answer.wholeMatch(of: /\{"ok":(\d+)\}/).flatMap { Int($0.1) }
    }
}
