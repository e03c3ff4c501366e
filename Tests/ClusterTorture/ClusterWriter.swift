// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
package import GatehouseHostTesting
internal import Glibc
internal import SeededTesting
internal import Synchronization

/// A writer with its own keys, which numbers the actions of each key and writes to any member that takes them.
///
/// When a connection breaks it continues at another member. If it names its lines, it sends unacknowledged ones again there;
/// otherwise it continues after them, because it cannot know which were taken.
package final class ClusterWriter: Sendable {
    /// The facts about the numbers of the keys.
    package struct Account: Sendable {
        /// The highest number that was sent, by key.
        package fileprivate(set) var sent: [String: Int] = [:]
        /// Runs of acknowledged numbers, by key, in order.
        package fileprivate(set) var acknowledged: [String: [ClosedRange<Int>]] = [:]
        /// The number of acknowledged lines.
        package fileprivate(set) var count = 0
        /// Lines that were sent and may not have been taken, of a writer that sends nothing again.
        package fileprivate(set) var unknown = 0
        /// Connections that broke.
        package fileprivate(set) var broken = 0
        /// Answers that are not acknowledgements.
        package fileprivate(set) var oddities: [String] = []
        /// How many more lines may be sent.
        fileprivate var allowed = 0
        /// Lines that were sent and await acknowledgement.
        fileprivate var pending = 0
        /// Whether no more will be allowed.
        fileprivate var isLast = false

        /// Whether a number of a key was acknowledged.
        package func hasAcknowledged(_ number: Int, of key: String) -> Bool {
            acknowledged[key]?.contains { $0.contains(number) } ?? false
        }
    }

    /// A line that was sent and not acknowledged.
    private struct Line {
        let key: String
        let number: Int
        let text: String
    }

    /// Its name in the state.
    package let name: String
    /// Whether its lines have unique names, so that it may send them again.
    package let namesLines: Bool
    /// The keys that nobody else writes.
    package let keys: [String]
    /// Determines keys, members and how much is written at once.
    private let seed: UInt64
    private let guarded = Mutex(Account())
    /// Signalled when it may send more, or learns that it never will.
    private let permission = DispatchSemaphore(value: 0)

    /// The maximum number of lines that await acknowledgement.
    private static let window = 512

    /// Creates a writer that may not send anything yet.
    package init(_ name: String, namingLines namesLines: Bool, keys: [String], seed: UInt64) {
        self.name = name
        self.namesLines = namesLines
        self.keys = keys
        self.seed = seed
    }

    /// The facts so far.
    package var account: Account { guarded.withLock { $0 } }

    /// The number of acknowledged lines.
    package var count: Int { guarded.withLock { $0.count } }

    /// Allows the given number of further lines.
    package func allow(_ count: Int, andNoMore isLast: Bool = false) {
        guarded.withLock {
            $0.allowed += count
            $0.isLast = isLast
        }
        permission.signal()
    }

    /// Whether it has sent all allowed lines, and knows their fate.
    package var isWaiting: Bool { guarded.withLock { $0.allowed == 0 && $0.pending == 0 } }

    /// Starts writing, on a separate thread that ends after the last line that will ever be allowed.
    ///
    /// - Parameter sockets: where the members listen; some of them may not.
    package func start(to sockets: [String]) throws -> TestWriter {
        try TestWriter { [self] in
            var generator = SeededGenerator(seed: seed)
            var waiting: [Line] = []
            while true {
                guard let socket = sockets.randomElement(using: &generator),
                    let connection = try? LocalConnection(socket)
                else {
                    // Nothing reports when a member listens again; it can only retry.
                    usleep(5_000)
                    continue
                }
                if write(&waiting, to: connection, &generator) { return }
                guarded.withLock { account in
                    account.broken += 1
                    guard !namesLines else { return }
                    account.unknown += waiting.count
                    account.pending = 0
                }
                if !namesLines { waiting = [] }
            }
        }
    }

    /// Writes over one connection until it breaks; true when there is nothing left to do.
    private func write(
        _ waiting: inout [Line], to connection: LocalConnection, _ generator: inout SeededGenerator
    ) -> Bool {
        // Acknowledgements count the lines of this connection.
        var done = 0
        guard waiting.isEmpty || connection.write(waiting.map(\.text).joined()) else { return false }
        while true {
            let room = Self.window - waiting.count
            if room > 0, waiting.isEmpty || Bool.random(using: &generator) {
                let lines = makeLines(Int.random(in: 1...room, using: &generator), &generator)
                if !lines.isEmpty {
                    waiting += lines
                    guard connection.write(lines.map(\.text).joined()) else { return false }
                    continue
                }
            }
            guard !waiting.isEmpty else {
                if guarded.withLock({ $0.isLast && $0.allowed == 0 }) { return true }
                permission.wait()
                continue
            }
            guard let answer = connection.readLine() else { return false }
            guard let count = Self.acknowledged(by: answer), count > done, count - done <= waiting.count
            else {
                guarded.withLock { $0.oddities.append("\(name): \(answer)") }
                return false
            }
            let taken = waiting.prefix(count - done)
            guarded.withLock { account in
                for line in taken { account.acknowledge(line.number, of: line.key) }
                account.count += taken.count
                account.pending -= taken.count
            }
            waiting.removeFirst(count - done)
            done = count
        }
    }

    /// Makes the next lines, at most the given number and as many as are allowed.
    private func makeLines(_ count: Int, _ generator: inout SeededGenerator) -> [Line] {
        guarded.withLock { account in
            let count = min(count, account.allowed)
            account.allowed -= count
            account.pending += count
            return (0..<count).map { _ in
                let key = keys.randomElement(using: &generator) ?? ""
                let number = (account.sent[key] ?? 0) + 1
                account.sent[key] = number
                return Line(key: key, number: number, text: line(number, of: key, isNamed: namesLines))
            }
        }
    }

    /// The line with a number of a key.
    func line(_ number: Int, of key: String, isNamed: Bool) -> String {
        let meta = isNamed ? #","meta":{"id":"\#(key)-\#(number)"}"# : ""
        return
            #"{"type":"passbook/enter","payload":{"key":"\#(key)","writer":"\#(name)","number":\#(number)}\#(meta)}"#
            + "\n"
    }

    /// The number of finished lines of the connection; nil for any other answer of a host.
    private static func acknowledged(by answer: String) -> Int? {
        guard answer.hasPrefix(#"{"ok":"#), answer.hasSuffix("}") else { return nil }
        return Int(answer.dropFirst(6).dropLast())
    }
}

extension ClusterWriter.Account {
    /// Records an acknowledgement.
    fileprivate mutating func acknowledge(_ number: Int, of key: String) {
        var runs = acknowledged.removeValue(forKey: key) ?? []
        if let last = runs.last, last.upperBound + 1 == number {
            runs[runs.count - 1] = last.lowerBound...number
        } else {
            runs.append(number...number)
        }
        acknowledged[key] = runs
    }
}
