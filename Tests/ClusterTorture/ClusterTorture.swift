// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseHostTesting
internal import Glibc
internal import SeededTesting

/// Three members and a fourth that comes and goes, which are killed, paused, started and cut off while four writers write; whatever
/// happens, and when, follows from a seed.
public final class ClusterTorture {
    /// What is to happen.
    public struct Terms: Sendable {
        /// How many actions are written.
        public var actions = 20_000
        /// How often something happens.
        public var incidents = 6
        /// What it follows from.
        public var seed: UInt64 = 1
        /// Whether the network between members and engine fails too.
        public var cutsNetwork = false
        /// Whether the engine dies too.
        public var killsEngine = false
        /// Told what happens, for people.
        public var log: @Sendable (String) -> Void = { _ in }

        /// The terms of a small torture of hosts.
        public init() {}
    }

    /// What has come of it.
    public struct Outcome: Sendable {
        /// What is wrong.
        public var faults: [String] = []
        /// Actions that were acknowledged.
        public var acknowledged = 0
        /// Numbers in all states together, those included that came of others.
        public var entered = 0
        /// Numbers that nobody had acknowledged and that came behind higher ones.
        public var late = 0
        /// Connections of writers that broke.
        public var broken = 0
        /// How often something happened, by what.
        public var incidents: [String: Int] = [:]
        /// How often partitions have changed hands.
        public var moves = 0
        /// What the members have said.
        public var told: [String] = []
    }

    /// What may happen.
    private enum Incident: String, CaseIterable {
        case kill, pause, fourth, cut, stall, freeze, halve, delay, refuse, engine
    }

    private let terms: Terms
    private let scene: ClusterScene
    private let writers: [ClusterWriter]
    private var generator: SeededGenerator
    private var outcome = Outcome()

    /// A cluster that was not started.
    public init(_ terms: Terms, _ common: ClusterScene.Terms) throws {
        self.terms = terms
        scene = ClusterScene(try RedisServer(durability: terms.killsEngine ? .always : .none), common)
        generator = SeededGenerator(seed: terms.seed)
        for name in ["a", "b", "c", "d"] { _ = try scene.member(name, isProxied: terms.cutsNetwork) }
        let keys = (0..<common.keys).map { "k\($0)" }
        let number = 4
        var writers: [ClusterWriter] = []
        for index in 0..<number {
            let own = stride(from: index, to: keys.count, by: number).map { keys[$0] }
            writers.append(
                ClusterWriter("w\(index)", namingLines: index < 2, keys: own, seed: generator.next()))
        }
        self.writers = writers
    }

    /// The members that are always there again.
    private var three: ArraySlice<SceneMember> { scene.members.prefix(3) }
    /// The one that comes and goes.
    private var fourth: SceneMember { scene.members[3] }

    /// Lets everything happen, and looks at what was entered.
    public func run() throws -> Outcome {
        for member in three { try member.startListening() }
        let threads = try writers.map { try $0.start(to: scene.members.map(\.socket)) }
        var allowed = 0
        for turn in 1...max(1, terms.incidents) {
            let last = terms.actions * turn / max(1, terms.incidents)
            let moment = acknowledged + Int.random(in: 0..<max(1, last - allowed), using: &generator)
            allow(last - allowed, andNoMore: turn == terms.incidents || terms.incidents == 0)
            allowed = last
            // At a moment in the middle of what is written in this turn.
            try wait("\(moment) actions are acknowledged") { $0.acknowledged >= moment || $0.isWaiting }
            if terms.incidents > 0 { try happen() }
            try wait("the writers have written") { $0.isWaiting }
        }
        for thread in threads { thread.join() }
        try scene.waitUntilDone()
        try end()
        return try judge()
    }

    /// How many actions were acknowledged.
    private var acknowledged: Int { writers.reduce(0) { $0 + $1.count } }
    /// Whether all writers have written what they may.
    private var isWaiting: Bool { writers.allSatisfy(\.isWaiting) }

    /// Lets the writers write so many more lines together.
    private func allow(_ count: Int, andNoMore isLast: Bool) {
        for (index, writer) in writers.enumerated() {
            writer.allow(
                count * (index + 1) / writers.count - count * index / writers.count, andNoMore: isLast)
        }
    }

    /// Waits for the writers.
    private func wait(_ what: String, until isSo: (ClusterTorture) -> Bool) throws {
        var end = ContinuousClock.now.advanced(by: .seconds(240))
        var known = acknowledged
        let changes = try RedisChanges(scene.redis)
        while !isSo(self) {
            let now = acknowledged
            if now > known {
                known = now
                end = ContinuousClock.now.advanced(by: .seconds(240))
            }
            guard ContinuousClock.now < end else {
                throw ClusterScene.TimedOut(
                    description:
                        "\(what): \(now) are; \(try scene.survey()) \(try told().suffix(50).joined(separator: "\n"))"
                )
            }
            try scene.takeWhatIsThere()
            try startTheDead()
            try changes.wait(atMost: ClusterScene.longestWait)
        }
    }

    /// Starts members again that have ended by themselves, which is told as a fault.
    private func startTheDead() throws {
        for member in scene.members where member.isRunning && !member.isPaused {
            guard let process = member.process, process.hasEnded else { continue }
            let ending = try member.finish()
            outcome.faults.append(
                "member \(member.name) has ended by itself with \(ending.exitCode.map(String.init) ?? "a signal"): \(ending.errors.suffix(2_000))"
            )
            try member.startListening()
        }
    }

    // MARK: - Incidents

    /// A time up to so many leases. No event stands for the moments at which nothing is expected; hence time.
    private func sleep(upToLeases count: Double) {
        let most = count * Double(scene.terms.lease) * 1_000_000
        usleep(UInt32(Double.random(in: 0..<1, using: &generator) * most))
    }

    /// Lets something happen, and puts right what does not do so by itself.
    private func happen() throws {
        let possible = Incident.allCases.filter { incident in
            switch incident {
            case .kill, .pause, .fourth: true
            case .cut, .stall, .freeze, .halve, .delay, .refuse: terms.cutsNetwork
            case .engine: terms.killsEngine
            }
        }
        let incident = possible.randomElement(using: &generator) ?? .kill
        let running = scene.members.filter(\.isRunning)
        guard let victim = running.randomElement(using: &generator) else { return }
        terms.log("\(acknowledged) acknowledged: \(incident.rawValue) \(victim.name)")
        outcome.incidents[incident.rawValue, default: 0] += 1
        switch incident {
        case .kill:
            try victim.kill()
            if Bool.random(using: &generator) { sleep(upToLeases: 2.5) }
            try victim.startListening()
        case .pause:
            try victim.pause()
            sleep(upToLeases: 2.5)
            try victim.resume()
        case .fourth:
            if !fourth.isRunning {
                try fourth.startListening()
            } else {
                try expectSuccess(try fourth.stop(), of: fourth)
            }
        case .cut: victim.proxy?.cut()
        case .stall:
            victim.proxy?.stall(true)
            sleep(upToLeases: 2.5)
            victim.proxy?.stall(false)
        case .freeze:
            victim.proxy?.freeze()
            sleep(upToLeases: 2.5)
            victim.proxy?.thaw()
        case .halve: victim.proxy?.cut(afterReplies: Int.random(in: 1..<20_000, using: &generator))
        case .delay:
            victim.proxy?.delay(by: .milliseconds(Int.random(in: 1..<100, using: &generator)))
            sleep(upToLeases: 1)
            victim.proxy?.delay(by: .zero)
        case .refuse:
            victim.proxy?.refuse(true)
            victim.proxy?.cut()
            sleep(upToLeases: 1.5)
            victim.proxy?.refuse(false)
        case .engine:
            try scene.redis.kill()
            sleep(upToLeases: 1)
            try scene.redis.restart()
        }
    }

    /// Takes note of a member that has not ended as it should.
    private func expectSuccess(_ ending: ChildProcess.Outcome, of member: SceneMember) throws {
        if ending.exitCode != 0 {
            outcome.faults.append(
                "member \(member.name) was asked to end and has ended with \(ending.exitCode.map(String.init) ?? "a signal"): \(ending.errors.suffix(2_000))"
            )
        }
    }

    // MARK: - The end

    /// Ends all members in order.
    private func end() throws {
        let running = scene.members.filter(\.isRunning)
        for member in running { try member.running().signal(SIGTERM) }
        for member in running { try expectSuccess(try member.finish(), of: member) }
    }

    /// What the members have said.
    private func told() throws -> [String] {
        scene.members.flatMap { member in
            member.ended.flatMap(\.errorLines).map { "\(member.name): \($0)" }
                + (member.process?.errorsSoFar.split(separator: "\n") ?? []).map { "\(member.name): \($0)" }
        }
    }

    /// Looks at what was entered.
    private func judge() throws -> Outcome {
        let survey = try scene.survey()
        outcome.moves = survey.partitions.reduce(0) { $0 + $1.title.epoch }
        if survey.dead > 0 { outcome.faults.append("\(survey.dead) dead letters") }
        let pages = try PassbookPages(of: try scene.slices())
        let audit = Audit(writers, pages, scene.terms)
        outcome.faults += audit.faults
        outcome.late = audit.late
        outcome.entered = pages.count
        outcome.acknowledged = acknowledged
        outcome.broken = writers.reduce(0) { $0 + $1.account.broken }
        if audit.late == 0 {
            outcome.faults += try Audit.compare(pages, with: writers, scene.terms)
        }
        outcome.told = try told()
        return outcome
    }
}
