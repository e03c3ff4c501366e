// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseJournal
import GatehouseSDK
import GatehouseSupport
import Glibc
import SeededTesting

@testable import GatehousePlan
@testable import GatehouseReload
@testable import GatehouseRuntime

/// A host under random configurations and actions, which is compared with what crashes, starts and vain reloads make of it.
///
/// Used on a thread that may wait; a seed repeats all of it but the name of the journal, and what workers do meanwhile.
struct LawfulHost {
    /// How a host stands, as far as operators and plugins can tell.
    struct Standing: Equatable, CustomStringConvertible {
        /// The whole state.
        let state: Value
        /// Where the gates are, by id.
        let gates: [String: String]
        /// What is under way.
        let effects: Set<Effect>
        /// Where the slices of instances in quarantine stand, by id.
        let standings: [String: String]

        /// An effect that is under way.
        struct Effect: Hashable, Comparable, CustomStringConvertible {
            /// Whose it is, and its key.
            let instance, key: String
            /// Its place among those of its action.
            let ordinal: UInt32

            var description: String { "\(instance) \(key) \(ordinal)" }

            static func < (one: Effect, other: Effect) -> Bool { one.description < other.description }
        }

        /// The same without the effects of actions that the worker of an instance in quarantine has not answered in one of two hosts:
        /// nobody knows which ones it would have begun.
        func known(beside other: Standing) -> Standing {
            let unknown = Set(
                effects.union(other.effects)
                    .filter { $0.ordinal == JournalEffect.all && standings[$0.instance] != nil }
                    .map(\.key))
            return Standing(
                state: state, gates: gates, effects: effects.filter { !unknown.contains($0.key) },
                standings: standings)
        }

        /// How a host stands.
        private init(
            state: Value, gates: [String: String], effects: Set<Effect>, standings: [String: String]
        ) {
            (self.state, self.gates, self.effects, self.standings) = (state, gates, effects, standings)
        }

        /// How a host stands once its workers have done what there is to do.
        ///
        /// - Parameter isInWorkers: whether instances run in workers, too.
        init(of host: DurableHost, inWorkers isInWorkers: Bool = false) throws {
            try host.awaitWorkers()
            state = try host.state
            let instances = host.host.turn { turn in
                turn.instances.map { instance in
                    (
                        id: instance.id, gate: "\(instance.gate)",
                        effects: instance.effectsUnderWay.map {
                            Effect(instance: $0.instance, key: $0.key, ordinal: $0.ordinal)
                        },
                        standing: instance.standing.map { standing in
                            // What workers emit meanwhile has numbers, too.
                            isInWorkers
                                ? "\(standing.value.missed) missed" : standing.value.words(keepsState: true)
                        }
                    )
                }
            }
            gates = Dictionary(uniqueKeysWithValues: instances.map { ($0.id, $0.gate) })
            effects = Set(instances.flatMap(\.effects))
            standings = Dictionary(
                uniqueKeysWithValues: instances.compactMap { one in one.standing.map { (one.id, $0) } })
        }

        var description: String {
            "\(state.json()) \(gates.sorted { $0.key < $1.key }) \(standings.sorted { $0.key < $1.key }) \(effects.sorted())"
        }
    }

    /// Takes what a crash would leave of a host in the midst of a reload: when the generation is recorded, or with an action after that.
    private final class Midst {
        /// What a crash would have left; nil where the moment has not come.
        private(set) var left: TemporaryFolder?
        /// The store.
        private let store: HostStore
        /// What was called before.
        private let before: (RunHooks, ((GenerationSwap, RecordedPlan) -> Void)?)

        /// Waits until the moment comes.
        ///
        /// - Parameter count: how many actions pass after the generation is recorded.
        init(after count: Int, of host: DurableHost) {
            store = host.host.store
            before = (store.hooks, store.onSwap)
            var left: Int?
            let look = { [unowned self, unowned host] in
                if left == 0 { self.left = try? host.crash() }
                left = left.map { $0 - 1 }
            }
            store.onSwap = { [before] swap, plan in
                before.1?(swap, plan)
                left = count
                look()
            }
            store.hooks.onAction = { [before] action in
                before.0.onAction?(action)
                look()
            }
        }

        /// Waits no more.
        func end() { (store.hooks, store.onSwap) = before }
    }

    /// What it has met.
    struct Met {
        /// Ends and crashes, changes, and what was tried in vain.
        var (lives, changes, trials) = (0, 0, 0)
        /// Reloads in the midst of which a host died.
        var midsts = 0
        /// Failures of the power while actions passed.
        var failures = 0
        /// Workers that were killed.
        var kills = 0
        /// Effects that were under way, and slices that stood, when something was compared.
        var (effects, standings) = (0, 0)

        static func += (all: inout Met, more: Met) {
            all.lives += more.lives
            all.changes += more.changes
            all.trials += more.trials
            all.midsts += more.midsts
            all.failures += more.failures
            all.kills += more.kills
            all.effects += more.effects
            all.standings += more.standings
        }
    }

    /// Where actions come from.
    private static let source = ActionSource(file: "law", function: "", line: 1, info: nil)
    /// The libraries of all configurations.
    private static let libraries = ["CounterPlugin", "CourierPlugin", "HoldingPlugin"]
    /// Whether instances run in workers, too.
    private let isInWorkers: Bool
    /// Whether the power fails, and not only the host.
    private let isOnDisk: Bool
    /// Where the copies of libraries are.
    private let cache: TemporaryFolder
    /// What happens next.
    private var random: SeededGenerator
    /// The configuration that runs.
    private var plan: LawfulPlan
    /// The host.
    private var host: DurableHost
    /// How many deliveries were sent, which numbers them.
    private var deliveries = 0
    /// What has happened.
    private var told: [String] = []
    /// What it has met.
    private(set) var met = Met()

    /// A host that has heard nothing.
    ///
    /// - Parameters:
    ///   - isInWorkers: whether instances run in workers, too, which are killed.
    ///   - isOnDisk: whether the journal is on a simulated disk whose power fails; in which step depends on threads, too.
    ///   - cache: where the copies of libraries are: a process that has many of them finds conformances slowly.
    init(
        seed: UInt64, inWorkers isInWorkers: Bool, onDisk isOnDisk: Bool, sharing cache: TemporaryFolder
    ) throws {
        self.cache = cache
        random = SeededGenerator(seed: seed)
        (self.isInWorkers, self.isOnDisk) = (isInWorkers, isOnDisk)
        plan = LawfulPlan(inWorkers: isInWorkers, by: &random)
        host = try Self.start(
            plan, in: TemporaryFolder(), sharing: cache, onDiskWith: isOnDisk ? random.next() : nil)
    }

    /// Starts a host where another one has ended.
    private static func start(
        _ plan: LawfulPlan, in folder: TemporaryFolder, sharing cache: TemporaryFolder,
        onDiskWith seed: UInt64?
    ) throws -> DurableHost {
        let host = try DurableHost(
            plan.entries, libraries: libraries, in: folder, more: plan.more,
            discovery: "ignore", quarantine: plan.quarantine, sharing: cache, onDiskWith: seed)
        host.host.admission.finishLeftWork(of: host.host)
        return host
    }

    /// Starts a host where this one has ended.
    private mutating func start(_ plan: LawfulPlan, in folder: TemporaryFolder) throws -> DurableHost {
        try Self.start(plan, in: folder, sharing: cache, onDiskWith: isOnDisk ? random.next() : nil)
    }

    /// Reloads with another configuration.
    private func reload(_ plan: LawfulPlan, and entry: String = "") throws -> ReloadOutcome {
        try host.reload(
            plan.entries + entry, more: plan.more, discovery: "ignore", quarantine: plan.quarantine)
    }

    /// Does something at random; gives what should be the same and is not, with all that has led to it.
    mutating func step() throws -> String? {
        if isInWorkers, Bool.random(using: &random) { kill() }
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5:
            if isOnDisk, Bool.random(using: &random) { return try actWhilePowerFails() }
            for _ in 0..<Int.random(in: 1...5, using: &random) { act() }
            return nil
        case 5: return try end()
        case 6: return try tryInVain()
        case 7: return try change(goingOnWithStarted: true)
        default: return try change(goingOnWithStarted: false)
        }
    }

    /// Dispatches some actions while the power fails: the next host stands where this one stood before the first or after one of them.
    private mutating func actWhilePowerFails() throws -> String? {
        var standings = [try standing(of: host)]
        let step = UInt64.random(in: 1...8, using: &random)
        let (_, left) = try host.failPower(in: step) {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                act()
                standings.append(try standing(of: host))
            }
        }
        guard let left else { return nil }
        met.failures += 1
        let other = try start(plan, in: left)
        let reached = try standing(of: other)
        try other.end()
        return standings.contains(reached) ? nil : compare(reached, standings[standings.count - 1])
    }

    /// Dispatches an action.
    private mutating func act() {
        let action = plan.action(numbered: &deliveries, by: &random)
        told.append("\(action.type.name) \(action.payload?.json() ?? "")")
        host.host.dispatch(action, from: Self.source)
    }

    /// Kills a worker, if there is one.
    private mutating func kill() {
        let workers = host.host.turn { turn in
            turn.instances.compactMap { one in one.worker?.standing.process.map { (id: one.id, process: $0) }
            }
        }
        guard let worker = workers.randomElement(using: &random) else { return }
        met.kills += 1
        told.append("killed the worker of \(worker.id)")
        Glibc.kill(worker.process, SIGKILL)
    }

    /// Ends or kills the host; the next one stands where it stood, or where it would stand once its workers have answered.
    private mutating func end() throws -> String? {
        met.lives += 1
        let isKilled = Bool.random(using: &random)
        told.append(isKilled ? "killed" : "ended")
        let before: Standing
        if isKilled {
            let left = try host.crash()
            before = try standing(of: host)
            try host.end()
            host = try start(plan, in: left)
        } else {
            before = try standing(of: host)
            host.host.queue.withExclusiveAccess {
                host.host.generation.stop()
                host.host.generation.cancelEffects()
            }
            try host.awaitWorkers()
            try host.end()
            host = try start(plan, in: host.leave())
        }
        return try compare(before, standing(of: host))
    }

    /// Ends it for good.
    func finish() throws { try host.end() }

    /// Tries another configuration, one of whose instances fails; the one before is back, as if nothing had been tried.
    private mutating func tryInVain() throws -> String? {
        met.trials += 1
        let next = plan.next(by: &random)
        told.append("in vain \(next)")
        let before = try standing(of: host)
        let failing =
            #", { "id": "holding", "library": "libHoldingPlugin.so", "settings": { "file": "/nowhere/at/all", "first": 2 } }"#
        if try reload(next, and: failing).isApplied { return "what fails is applied: \(account)" }
        if let difference = try compare(before, standing(of: host)) { return difference }
        return Bool.random(using: &random) ? try end() : nil
    }

    /// Comes to another configuration, by a reload and by a start after a crash, which do the same; goes on with one of both.
    private mutating func change(goingOnWithStarted isStarted: Bool) throws -> String? {
        let next = plan.next(by: &random)
        told.append("to \(next)")
        let folder = try host.crash()
        let started = Result { try start(next, in: folder) }
        let (outcome, left) = try reloadWhileItDies(next)
        // Only a child can rehearse how a library takes over a state that it has not seen.
        if outcome.diagnostics.all.contains(where: { $0.description.contains("no child process") }) {
            return nil
        }
        guard let started = try? started.get() else {
            return outcome.isApplied ? "applied, and not started with: \(account)" : nil
        }
        guard outcome.isApplied || "\(outcome)".hasPrefix("nothing has changed") else {
            return "started, and refused with \(outcome.diagnostics.all): \(account)"
        }
        met.changes += 1
        plan = next
        let reached = try standing(of: host)
        if outcome.isApplied, let left {
            met.midsts += 1
            told.append("died in the midst")
            let other = try start(next, in: left)
            if let difference = try compare(standing(of: other), reached) { return difference }
            try other.end()
            told.removeLast()
        }
        if let difference = try compare(standing(of: started), reached) { return difference }
        try (isStarted ? host : started).end()
        if isStarted { host = started }
        return nil
    }

    /// Reloads, and gives what is left where the host, or the power, fails meanwhile; nil where the moment does not come.
    private mutating func reloadWhileItDies(_ next: LawfulPlan) throws -> (ReloadOutcome, TemporaryFolder?) {
        if isOnDisk, Bool.random(using: &random) {
            return try host.failPower(in: UInt64.random(in: 1...20, using: &random)) { try reload(next) }
        }
        let midst = Midst(after: Int.random(in: 0..<4, using: &random), of: host)
        defer { midst.end() }
        return (try reload(next), midst.left)
    }

    /// How a host stands.
    private func standing(of host: DurableHost) throws -> Standing {
        try Standing(of: host, inWorkers: isInWorkers)
    }

    /// Compares what should be the same.
    private mutating func compare(_ one: Standing, _ other: Standing) -> String? {
        met.effects += one.effects.count
        met.standings += one.standings.count
        return one.known(beside: other) == other.known(beside: one) ? nil : "\n\(one)\n\(other)\n\(account)"
    }

    /// All that has happened.
    private var account: String { told.joined(separator: "\n") }
}
