// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import SeededTesting
import Testing

/// A host with a ledger that is killed again and again while four writers write, and started again.
final class TorturedHost {
    /// Where the host lives; what it writes down outlives it.
    let scene: Scene
    /// Two of them name their lines.
    let writers: [NumberingWriter]
    /// What a failure is to be repeated from.
    let seed: UInt64
    /// Decides when the host is killed.
    private var generator: SeededGenerator
    /// The options of each run.
    private let arguments: [String]

    /// A host that was not started.
    ///
    /// - Parameter members: further members of the configuration, each with a comma behind it.
    init(_ members: String, arguments: [String] = [], seed: UInt64, deeds: [Int: String] = [:]) throws {
        scene = try Scene(
            #"{ \#(members)"ingress": { "listen": ["unix:in.sock?ack"] }, "plugins": [{ "id": "ledger" }] }"#,
            libraries: ["LedgerPlugin"])
        writers = (0..<4).map {
            NumberingWriter("w\($0)", namingLines: $0 < 2, deeds: $0 == 0 ? deeds : [:])
        }
        self.arguments = arguments
        self.seed = seed
        generator = SeededGenerator(seed: seed)
    }

    /// Starts the host.
    func start() throws -> ChildProcess { try scene.start(arguments) }

    /// Waits until writers can connect.
    func waitUntilListening(_ child: ChildProcess) throws {
        try child.waitForErrors("gatehouse: listening at in.sock\n")
    }

    /// Runs the host until it is killed, at a moment in its start or while the writers write.
    func runAndKill() throws {
        let child = try start()
        // One in four dies while it starts, or goes over what the one before has left.
        let diesEarly = UInt8.random(in: 0..<4, using: &generator) == 0
        if diesEarly {
            // No event stands for a moment at which nothing is expected; hence time.
            usleep(UInt32.random(in: 0..<120_000, using: &generator))
            child.signal(SIGKILL)
            return _ = try child.finish()
        }
        try waitUntilListening(child)
        let threads = try startWriters()
        usleep(UInt32.random(in: 0..<80_000, using: &generator))
        child.signal(SIGKILL)
        let outcome = try child.finish()
        for thread in threads { thread.join() }
        #expect(outcome.exitCode == nil, "seed \(seed): \(outcome.errors)")
    }

    /// Lets each writer write over a connection, on threads of their own.
    func startWriters(upTo last: Int = .max) throws -> [TestWriter] {
        try writers.map { writer in
            let (path, seed) = (scene.folder("in.sock"), generator.next())
            return try TestWriter { writer.write(to: path, upTo: last, seed: seed) }
        }
    }

    /// Runs the host until all that is left has been acknowledged, and ends it; gives its state.
    func runToEnd() throws -> Value {
        let last = (writers.map(\.account.sent).max() ?? 0) + 100
        return try run { for thread in try startWriters(upTo: last) { thread.join() } }
    }

    /// Runs the host with nothing to do; gives its state.
    func runIdly() throws -> Value { try run {} }

    /// Runs the host until something is done; gives its state.
    private func run(until isDone: () throws -> Void) throws -> Value {
        let child = try start()
        try waitUntilListening(child)
        try isDone()
        child.signal(SIGTERM)
        let outcome = try child.finish()
        #expect(outcome.exitCode == 0, "seed \(seed): \(outcome.errors)")
        return try JSONText.parse(outcome.output)
    }

    /// Expects of a state that no acknowledged number is missing, and that none was entered twice, too late or unsent.
    func expectAll(in state: Value) throws {
        try expectOrder(in: state)
        for writer in writers {
            let (account, page) = (writer.account, try LedgerPage(of: writer.name, in: state))
            for run in account.acknowledged {
                #expect(page.contains(run), "seed \(seed), \(writer.name), \(run)")
            }
            // Whoever sends again what was not acknowledged gets all of it in, and once.
            if writer.namesLines {
                #expect(page.entered == account.acknowledged, "seed \(seed), \(writer.name)")
            }
        }
    }

    /// Expects of a state that no number was entered twice, too late or unsent, and that each one was answered.
    func expectOrder(in state: Value) throws {
        for writer in writers {
            let (account, page) = (writer.account, try LedgerPage(of: writer.name, in: state))
            let place: Comment = "seed \(seed), \(writer.name)"
            #expect(account.oddities == [], place)
            #expect(page.faults == [], place)
            #expect(page.answered == page.entered, place)
            #expect(page.entered.last.map { $0.upperBound <= account.sent } ?? true, place)
        }
    }
}
