// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseJournal
import GatehouseSDK
import GatehouseSupport
import SeededTesting

@testable import GatehousePlan
@testable import GatehouseReload
@testable import GatehouseRuntime

/// A host under random configurations and actions, which is compared with what crashes, starts and vain reloads make of it.
///
/// Used on a thread that may wait; a seed repeats all of it but the name of the journal.
struct LawfulHost {
    /// How a host stands, as far as operators and plugins can tell.
    struct Standing: Equatable, CustomStringConvertible {
        /// The whole state.
        let state: Value
        /// Where the gates are, by id.
        let gates: [String: String]
        /// What is under way: instance, key and place of each effect.
        let effects: [String]
        /// Where the slices of instances in quarantine stand, by id.
        let standings: [String: String]

        /// How a host stands now.
        init(of host: DurableHost) throws {
            state = try host.state
            let instances = host.host.turn { turn in
                turn.instances.map { instance in
                    (
                        id: instance.id, gate: "\(instance.gate)",
                        effects: instance.effectsUnderWay.map { "\($0.instance) \($0.key) \($0.ordinal)" },
                        standing: instance.standing?.value.words(keepsState: true)
                    )
                }
            }
            gates = Dictionary(uniqueKeysWithValues: instances.map { ($0.id, $0.gate) })
            effects = instances.flatMap(\.effects).sorted()
            standings = Dictionary(
                uniqueKeysWithValues: instances.compactMap { one in one.standing.map { (one.id, $0) } })
        }

        var description: String {
            "\(state.json()) \(gates.sorted { $0.key < $1.key }) \(standings.sorted { $0.key < $1.key }) \(effects)"
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
        /// Effects that were under way, and slices that stood, when something was compared.
        var (effects, standings) = (0, 0)

        static func += (all: inout Met, more: Met) {
            all.lives += more.lives
            all.changes += more.changes
            all.trials += more.trials
            all.midsts += more.midsts
            all.effects += more.effects
            all.standings += more.standings
        }
    }

    /// Where actions come from.
    private static let source = ActionSource(file: "law", function: "", line: 1, info: nil)
    /// The libraries of all configurations.
    private static let libraries = ["CounterPlugin", "CourierPlugin", "HoldingPlugin"]
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
    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        plan = LawfulPlan(by: &random)
        host = try Self.start(plan, in: TemporaryFolder())
    }

    /// Starts a host where another one has ended.
    private static func start(_ plan: LawfulPlan, in folder: TemporaryFolder) throws -> DurableHost {
        let host = try DurableHost(
            plan.entries, libraries: libraries, in: folder, more: plan.more, discovery: "ignore",
            quarantine: plan.quarantine)
        host.host.admission.finishLeftWork(of: host.host)
        return host
    }

    /// Reloads with another configuration.
    private func reload(_ plan: LawfulPlan, and entry: String = "") throws -> ReloadOutcome {
        try host.reload(
            plan.entries + entry, more: plan.more, discovery: "ignore", quarantine: plan.quarantine)
    }

    /// Does something at random; gives what should be the same and is not, with all that has led to it.
    mutating func step() throws -> String? {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5:
            for _ in 0..<Int.random(in: 1...5, using: &random) { act() }
            return nil
        case 5: return try end()
        case 6: return try tryInVain()
        case 7: return try change(goingOnWithStarted: true)
        default: return try change(goingOnWithStarted: false)
        }
    }

    /// Dispatches an action.
    private mutating func act() {
        let action = plan.action(numbered: &deliveries, by: &random)
        told.append("\(action.type.name) \(action.payload?.json() ?? "")")
        host.host.dispatch(action, from: Self.source)
    }

    /// Ends or kills the host; the next one stands where it stood.
    private mutating func end() throws -> String? {
        met.lives += 1
        let before = try Standing(of: host)
        let isKilled = Bool.random(using: &random)
        told.append(isKilled ? "killed" : "ended")
        if isKilled {
            let left = try host.crash()
            try host.host.closeJournal()
            host = try Self.start(plan, in: left)
        } else {
            host.host.queue.withExclusiveAccess {
                host.host.generation.stop()
                host.host.generation.cancelEffects()
            }
            try host.host.closeJournal()
            host = try Self.start(plan, in: host.leave())
        }
        return try compare(before, Standing(of: host))
    }

    /// Tries another configuration, one of whose instances fails; the one before is back, as if nothing had been tried.
    private mutating func tryInVain() throws -> String? {
        met.trials += 1
        let next = plan.next(by: &random)
        told.append("in vain \(next)")
        let before = try Standing(of: host)
        let failing =
            #", { "id": "holding", "library": "libHoldingPlugin.so", "settings": { "file": "/nowhere/at/all", "first": 2 } }"#
        if try reload(next, and: failing).isApplied { return "what fails is applied: \(account)" }
        if let difference = try compare(before, Standing(of: host)) { return difference }
        return Bool.random(using: &random) ? try end() : nil
    }

    /// Comes to another configuration, by a reload and by a start after a crash, which do the same; goes on with one of both.
    private mutating func change(goingOnWithStarted isStarted: Bool) throws -> String? {
        let next = plan.next(by: &random)
        told.append("to \(next)")
        let folder = try host.crash()
        let started = Result { try Self.start(next, in: folder) }
        let midst = Midst(after: Int.random(in: 0..<4, using: &random), of: host)
        let outcome = try reload(next)
        midst.end()
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
        let reached = try Standing(of: host)
        if outcome.isApplied, let left = midst.left {
            met.midsts += 1
            told.append("died in the midst")
            let other = try Self.start(next, in: left)
            if let difference = try compare(Standing(of: other), reached) { return difference }
            try other.host.closeJournal()
            told.removeLast()
        }
        if let difference = try compare(Standing(of: started), reached) { return difference }
        try (isStarted ? host : started).host.closeJournal()
        if isStarted { host = started }
        return nil
    }

    /// Compares what should be the same.
    private mutating func compare(_ one: Standing, _ other: Standing) -> String? {
        met.effects += one.effects.count
        met.standings += one.standings.count
        return one == other ? nil : "\n\(one)\n\(other)\n\(account)"
    }

    /// All that has happened.
    private var account: String { told.joined(separator: "\n") }
}
