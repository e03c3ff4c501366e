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
    /// Whether what was not synced is lost with the host.
    private let losesPower: Bool
    /// How often the configuration was changed.
    private var changes = 0
    /// The configuration without the entry of the ledger.
    private let members: String
    /// Where the ledger runs.
    private let placement: String

    /// A host that was not started.
    ///
    /// - Parameters:
    ///   - members: further members of the configuration, each with a comma after it.
    ///   - placement: where the ledger runs.
    ///   - losesPower: whether what was not synced is lost with the host.
    ///   - seed: decides when the host is killed, and how much is written at once.
    ///   - deeds: what becomes of some numbers of the first writer.
    init(
        _ members: String, placement: String = "host", arguments: [String] = [], losesPower: Bool = false,
        seed: UInt64, deeds: [Int: String] = [:]
    ) throws {
        self.members = members
        self.placement = placement
        scene = try Scene(Self.configuration(members, placement, 0), libraries: ["LedgerPlugin"])
        writers = (0..<4).map {
            NumberingWriter("w\($0)", namingLines: $0 < 2, deeds: $0 == 0 ? deeds : [:])
        }
        self.arguments = arguments
        self.losesPower = losesPower
        self.seed = seed
        generator = SeededGenerator(seed: seed)
    }

    /// The configuration after so many changes, each of which makes the ledger anew.
    private static func configuration(_ members: String, _ placement: String, _ changes: Int) -> String {
        """
        { \(members)"ingress": { "listen": ["unix:in.sock?ack"] },
          "plugins": [{ "id": "ledger", "placement": "\(placement)", "lift": { "dependencies": [\(changes % 2 == 0 ? "" : #""clock""#)] } }] }
        """
    }

    /// Starts the host.
    ///
    /// - Parameter limit: how long it may run.
    func start(atMost limit: Duration = .seconds(300)) throws -> ChildProcess {
        let more = losesPower ? PowerLoss.environment(below: scene.folder("journal")) : [:]
        return try ChildProcess(
            BuiltProducts.program, ["run"] + arguments, in: scene.folder.path, limit: limit,
            environment: scene.environment.merging(more) { $1 }, keeping: scene.folder)
    }

    /// Lets each writer write up to a number, over as many connections as it takes; returns when all is acknowledged, or sent by
    /// those who send nothing again.
    ///
    /// - Parameter strike: is called at some moment while they write.
    func writeAll(upTo last: Int, strike: () -> Void = {}) throws {
        let threads = try writers.map { writer in
            let path = scene.folder("in.sock")
            let seed = generator.next()
            return try TestWriter {
                var generator = SeededGenerator(seed: seed)
                while writer.isLeft(upTo: last) {
                    writer.write(to: path, upTo: last, seed: generator.next())
                }
            }
        }
        // No event stands for a moment at which nothing is expected; hence time.
        usleep(UInt32.random(in: 0..<40_000, using: &generator))
        strike()
        for thread in threads { thread.join() }
    }

    /// Waits until writers can connect.
    func waitUntilListening(_ child: ChildProcess) throws {
        try child.waitForErrors("gatehouse: listening at in.sock\n")
    }

    /// Runs the host until it is killed, at a moment in its start or while the writers write.
    func runAndKill() throws {
        let child = try start()
        let fate = UInt8.random(in: 0..<4, using: &generator)
        var threads: [TestWriter] = []
        if fate > 0 {
            try waitUntilListening(child)
            threads = try startWriters()
        }
        if fate > 2 {
            changes += 1
            try scene.folder.write(Self.configuration(members, placement, changes), to: "plugins.json")
            child.signal(SIGHUP)
        }
        // It dies while it starts and goes over what the one before has left, while it takes lines, or in a reload too. No event
        // stands for a moment at which nothing is expected; hence time.
        usleep(UInt32.random(in: 0..<120_000, using: &generator))
        child.signal(SIGKILL)
        let outcome = try child.finish()
        for thread in threads { thread.join() }
        #expect(outcome.exitCode == nil, "seed \(seed): \(outcome.errors)")
        if losesPower { try PowerLoss.strike(scene.folder("journal")) }
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
    ///
    /// - Parameter aside: numbers of the first writer that are to be missing.
    func expectAll(in state: Value, except aside: Set<Int> = []) throws {
        try expectOrder(in: state)
        for (index, writer) in writers.enumerated() {
            let (account, page) = (writer.account, try LedgerPage(of: writer.name, in: state))
            let place: Comment = "seed \(seed), \(writer.name)"
            let entered = Set(page.entered.joined())
            let wanted = Set(account.acknowledged.joined()).subtracting(index == 0 ? aside : [])
            #expect(wanted.subtracting(entered).sorted() == [], place)
            // Whoever sends again what was not acknowledged gets all of it in, and nothing else.
            if writer.namesLines { #expect(entered.subtracting(wanted).sorted() == [], place) }
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
