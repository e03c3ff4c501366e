// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseHostTesting
internal import Glibc
internal import SeededTesting

/// Three members and a fourth that comes and goes, which are killed, paused, started and cut off while four writers write; a seed
/// determines what happens, and when.
package final class ClusterTorture {
    /// The parameters of a run.
    package struct Terms: Sendable {
        /// The number of actions to write.
        package var actions = 20_000
        /// The number of incidents.
        package var incidents = 6
        /// Determines the incidents.
        package var seed: UInt64 = 1
        /// Whether the network between members and engine also fails.
        package var cutsNetwork = false
        /// Whether the engine also dies.
        package var killsEngine = false
        /// Called with messages for people.
        package var log: @Sendable (String) -> Void = { _ in }

        /// The parameters of a small run.
        package init() {}
    }

    /// The results of a run.
    package struct Outcome: WriterOutcome, Sendable {
        /// Violations of the promises.
        package var faults: [String] = []
        /// The number of acknowledged actions.
        package var acknowledged = 0
        /// The total of numbers in all states, including those that others led to.
        package var entered = 0
        /// Unacknowledged numbers that came after higher ones.
        package var late = 0
        /// Connections of writers that broke.
        package var broken = 0
        /// The number of incidents by kind.
        package var incidents: [String: Int] = [:]
        /// How often partitions changed hands.
        package var moves = 0
        /// The output of the members.
        package var told: [String] = []
    }

    /// The kinds of incidents.
    private enum Incident: String, CaseIterable {
        case kill, pause, fourth, stranger, cut, stall, freeze, halve, delay, refuse, engine, full, evicting
    }

    private let terms: Terms
    private let scene: ClusterScene
    private let group: WriterGroup
    private var generator: SeededGenerator
    private var outcome = Outcome()

    /// Creates a cluster without starting it.
    package init(_ terms: Terms, _ common: ClusterScene.Terms) throws {
        self.terms = terms
        scene = ClusterScene(try RedisServer(durability: terms.killsEngine ? .always : .none), common)
        generator = SeededGenerator(seed: terms.seed)
        for name in ["a", "b", "c", "d"] { _ = try scene.member(name, isProxied: terms.cutsNetwork) }
        group = WriterGroup(keys: common.keys, &generator)
    }

    /// The members that are always restarted.
    private var three: ArraySlice<SceneMember> { scene.members.prefix(3) }
    /// The one that comes and goes.
    private var fourth: SceneMember { scene.members[3] }

    /// Runs everything, and checks what was entered.
    package func run() throws -> Outcome {
        for member in three { try member.startListening() }
        let threads = try group.start(to: scene.members.map(\.socket))
        var allowed = 0
        for turn in 1...max(1, terms.incidents) {
            let last = terms.actions * turn / max(1, terms.incidents)
            let moment = group.acknowledged + Int.random(in: 0..<max(1, last - allowed), using: &generator)
            group.allow(last - allowed, andNoMore: turn == terms.incidents || terms.incidents == 0)
            allowed = last
            // At a moment in the middle of this turn's actions.
            try wait("\(moment) actions are acknowledged") {
                $0.group.acknowledged >= moment || $0.group.isWaiting
            }
            if terms.incidents > 0 { try happen() }
            try wait("the writers have written") { $0.group.isWaiting }
        }
        for thread in threads { thread.join() }
        try scene.waitUntilDone()
        outcome.faults += try scene.end()
        return try judge()
    }

    /// Waits for the writers.
    private func wait(_ what: String, until isSo: (ClusterTorture) -> Bool) throws {
        var end = ContinuousClock.now.advanced(by: .seconds(240))
        var known = group.acknowledged
        let changes = try RedisChanges(scene.redis)
        while !isSo(self) {
            let now = group.acknowledged
            if now > known {
                known = now
                end = ContinuousClock.now.advanced(by: .seconds(240))
            }
            guard ContinuousClock.now < end else {
                throw ClusterScene.TimedOut(
                    description:
                        "\(what): \(now) are; \(try scene.survey()) \(scene.told.suffix(50).joined(separator: "\n"))"
                )
            }
            try scene.takeWhatIsThere()
            try startTheDead()
            try changes.wait(atMost: ClusterScene.longestWait)
        }
    }

    /// Restarts members that ended by themselves, and records that as a fault.
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

    /// Sleeps for up to a number of leases. No event marks the moments at which nothing is expected; hence time.
    private func sleep(upToLeases count: Double) {
        let most = count * Double(scene.terms.lease) * 1_000_000
        usleep(UInt32(Double.random(in: 0..<1, using: &generator) * most))
    }

    /// Causes an incident, and repairs what does not recover by itself.
    private func happen() throws {
        let possible = Incident.allCases.filter { incident in
            switch incident {
            case .kill, .pause, .fourth: true
            // Where others fail, no member may be live that it could differ from.
            case .stranger: !terms.cutsNetwork && !terms.killsEngine
            case .cut, .stall, .freeze, .halve, .delay, .refuse: terms.cutsNetwork
            case .engine, .full, .evicting: terms.killsEngine
            }
        }
        let incident = possible.randomElement(using: &generator) ?? .kill
        let running = scene.members.filter(\.isRunning)
        guard let victim = running.randomElement(using: &generator) else { return }
        terms.log("\(group.acknowledged) acknowledged: \(incident.rawValue) \(victim.name)")
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
                outcome.faults += ClusterScene.objections(to: try fourth.stop(), of: fourth)
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
        case .full: try change("maxmemory", to: "1", and: "0")
        case .evicting: try change("maxmemory-policy", to: "allkeys-lru", and: "noeviction")
        case .stranger:
            let stranger = try scene.member("x") { $0.replacing("\"/key\"", with: "\"/writer\"") }
            try stranger.start()
            let ending = try stranger.finish()
            if ending.exitCode != 74 {
                outcome.faults.append(
                    "a member with other keys has ended with \(ending.errors.suffix(2_000))")
            }
        }
    }

    /// Changes a parameter of the engine for a moment.
    private func change(_ name: String, to value: String, and usual: String) throws {
        try scene.redis.call("CONFIG", "SET", name, value)
        sleep(upToLeases: 1)
        try scene.redis.call("CONFIG", "SET", name, usual)
    }

    // MARK: - The end

    /// Checks what was entered.
    private func judge() throws -> Outcome {
        let survey = try scene.survey()
        outcome.moves = survey.partitions.reduce(0) { $0 + $1.title.epoch }
        try scene.judge(group, addingTo: &outcome)
        return outcome
    }
}
