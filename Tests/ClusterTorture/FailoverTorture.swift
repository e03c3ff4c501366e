// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHostTesting
internal import Glibc
internal import SeededTesting

/// Three members on a ``ReplicatedRedis`` whose primary dies, pauses or is cut off again and again while four writers write; a seed
/// determines what happens, and when.
package final class FailoverTorture {
    /// The parameters of a run.
    package struct Terms: Sendable {
        /// The number of actions to write.
        package var actions = 4_000
        /// The number of failovers.
        package var failovers = 1
        /// Determines the incidents.
        package var seed: UInt64 = 1
        /// Called with messages for people.
        package var log: @Sendable (String) -> Void = { _ in }

        /// The parameters of a small run.
        package init() {}
    }

    /// What happens to the primary, until another one has taken its place.
    package enum Incident: String, CaseIterable, Sendable {
        /// It is killed, and started again afterwards.
        case kill
        /// It is paused, and resumed afterwards, with all that members have sent meanwhile.
        case pause
        /// It is paused, and resumed while the Sentinels are promoting a replica.
        case blink
        /// Its machine is lost for a while: it and the Sentinel there are paused, and resumed afterwards.
        case machine
        /// The network ends its connections and lets none in.
        case refuse
        /// The network swallows everything, and delivers it afterwards.
        case swallow
        /// Replicas and Sentinels do not reach it, and members do.
        case isolate
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
        /// The times from the incident to the next acknowledgement of the last writer, by kind.
        package var times: [Incident: [Duration]] = [:]
        /// The output of the members.
        package var told: [String] = []
    }

    /// How long a failover may take.
    private static let longest = Duration.seconds(10)

    private let terms: Terms
    private let redis: ReplicatedRedis
    private let scene: ClusterScene
    private let group: WriterGroup
    private var generator: SeededGenerator
    private var outcome = Outcome()

    /// Creates a cluster without starting it.
    package init(_ terms: Terms, _ common: ClusterScene.Terms) throws {
        self.terms = terms
        redis = try ReplicatedRedis()
        scene = try ClusterScene(redis, common)
        generator = SeededGenerator(seed: terms.seed)
        for name in ["a", "b", "c"] { _ = try scene.member(name) }
        group = WriterGroup(keys: common.keys, &generator)
    }

    /// Runs everything, and checks what was entered.
    ///
    /// - Parameter given: the incidents; nil for each kind as often as any other, in an order that the seed determines.
    package func run(_ given: [Incident]? = nil) throws -> Outcome {
        let incidents = given ?? draw()
        for member in scene.members { try member.startListening() }
        try scene.waitUntilSettled(scene.members)
        let threads = try group.start(to: scene.members.map(\.socket))
        var allowed = 0
        for (turn, incident) in incidents.enumerated() {
            let last = terms.actions * (turn + 1) / incidents.count
            try suffer(incident, under: last - allowed, isLast: turn == incidents.count - 1)
            allowed = last
        }
        for thread in threads { thread.join() }
        scene.reconnect()
        try scene.waitUntilDone()
        outcome.faults += try scene.end()
        try scene.judge(group, addingTo: &outcome)
        return outcome
    }

    /// Draws the incidents.
    private func draw() -> [Incident] {
        var incidents: [Incident] = []
        while incidents.count < terms.failovers { incidents += Incident.allCases.shuffled(using: &generator) }
        return Array(incidents.prefix(terms.failovers))
    }

    // MARK: - One failover

    /// Lets the primary suffer an incident under so many actions; returns when these are written and, unless it is the last one, the primary of before is a replica.
    private func suffer(_ incident: Incident, under actions: Int, isLast: Bool) throws {
        let first = actions / 3
        let moment = group.acknowledged + Int.random(in: 0..<max(1, first), using: &generator)
        group.allow(first)
        try wait("\(moment) actions are acknowledged") { group.acknowledged >= moment || group.isWaiting }
        let primary = try redis.primary()
        let start = ContinuousClock.now
        terms.log(
            "\(group.acknowledged) acknowledged: \(incident.rawValue) the primary at port \(primary.port)")
        try strike(primary, by: incident)
        // No writer has finished when the failover is over.
        group.allow(first)
        try wait("another primary is named") { try redis.primary(after: primary).port != primary.port }
        let named = start.duration(to: .now)
        let known = group.writers.map(\.count)
        try wait("all writers are acknowledged") { zip(group.writers, known).allSatisfy { $0.count > $1 } }
        let time = start.duration(to: .now)
        outcome.times[incident, default: []].append(time)
        terms.log("another primary after \(named.tenths) s, all writers served after \(time.tenths) s")
        if time > Self.longest {
            outcome.faults.append("\(incident.rawValue): all writers were served after \(time.tenths) s")
        }
        try repair(primary, after: incident)
        group.allow(actions - 2 * first, andNoMore: isLast)
        try wait("the writers have written") { group.isWaiting }
        // It comes back as a replica after some ten seconds, which the next failover needs.
        if !isLast { try redis.waitUntilWhole() }
    }

    /// Lets it happen.
    private func strike(_ primary: ReplicatedRedis.Node, by incident: Incident) throws {
        switch incident {
        case .kill: try primary.server.kill()
        case .pause: primary.server.pause()
        case .machine:
            redis.sentinels[primary.number].pause()
            primary.server.pause()
        case .blink:
            let known = try redis.sentinels.map { try $0.count(of: "+failover-state-wait-promotion") }
            primary.server.pause()
            try wait("a replica is being promoted") {
                try zip(redis.sentinels, known).contains {
                    try $0.count(of: "+failover-state-wait-promotion") > $1
                }
            }
            primary.server.resume()
        case .refuse:
            primary.network.refuse(true)
            primary.network.cut()
        case .swallow: primary.network.stall(true)
        case .isolate: redis.isolate(primary, true)
        }
    }

    /// Undoes it.
    private func repair(_ former: ReplicatedRedis.Node, after incident: Incident) throws {
        switch incident {
        case .kill: try former.server.restart()
        case .pause: former.server.resume()
        case .machine:
            former.server.resume()
            redis.sentinels[former.number].resume()
        case .blink: break
        case .refuse: former.network.refuse(false)
        case .swallow: former.network.stall(false)
        case .isolate: redis.isolate(former, false)
        }
    }

    /// Waits for a condition, and reads the output of all processes meanwhile; a member that has ended by itself ends the torture.
    private func wait(_ what: String, until isSo: () throws -> Bool) throws {
        do {
            try redis.wait(what) {
                try scene.takeWhatIsThere()
                for member in scene.members where member.process?.hasEnded == true {
                    throw ClusterScene.TimedOut(description: "member \(member.name) has ended by itself")
                }
                return try isSo()
            }
        } catch {
            throw ClusterScene.TimedOut(
                description:
                    "seed \(terms.seed), \(what): \(error); \(group.acknowledged) actions are acknowledged\n\(scene.told.suffix(60).joined(separator: "\n"))"
            )
        }
    }
}

extension Duration {
    /// Seconds with one decimal digit.
    package var tenths: Double { (self / .milliseconds(100)).rounded() / 10 }
}
