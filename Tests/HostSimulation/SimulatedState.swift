// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehousePlan
import GatehouseRuntime
import GatehouseSDK

/// The state of the one instance that runs in a simulated host itself, the ledger: it tells each order of actions and reloads from all others.
struct SimulatedState: Equatable {
    /// How many actions were reduced.
    var count = 0
    /// What they have said, in their order.
    var sum: UInt64 = 0
    /// The version of the form of the state, which each other reload raises.
    var form = 1
    /// Those whose gates, which follow this state, are closed.
    private(set) var closed: Set<ClerkID> = []
    /// How many changes have come into force that are taken back; no instance owns the number.
    var trials = 0

    /// Reduces an action that says a number.
    mutating func reduce(_ told: Int) {
        count += 1
        sum = (sum &+ UInt64(bitPattern: Int64(told))) &* 0x100_0000_01b3 & (1 << 62 - 1)
        guard let (clerk, opens) = SimulatedAction.gateMove(by: told) else { return }
        if opens { closed.remove(clerk) } else { closed.insert(clerk) }
    }

    /// Takes over the state of an older form; not the same when it is done twice.
    mutating func migrate() {
        form += 1
        sum = (sum &+ 1) & (1 << 62 - 1)
    }

    /// The id of the instance.
    static let instance = "ledger"

    /// The state as the host keeps it.
    var versioned: VersionedState {
        let closed = ClerkID.allCases.filter(closed.contains).map { Value.string($0.rawValue) }
        return VersionedState(
            version: form, value: ["count": Value(count), "sum": .unsigned(sum), "closed": .array(closed)])
    }

    /// A state without actions.
    init() {}

    /// Reads a state; nil for what no simulated host keeps.
    init?(_ whole: SavedState) {
        guard let kept = whole.entries[Self.instance]?.state, let count = kept.value["count"]?.intValue,
            let sum = kept.value["sum"]?.wholeNumber
        else { return nil }
        (self.count, self.sum, form) = (count, sum, kept.version)
        closed = Set(
            (kept.value["closed"]?.arrayValue ?? []).compactMap { $0.stringValue.flatMap(ClerkID.init) })
        trials = whole.plain["trials"]?.intValue ?? 0
    }

    /// The whole state of the host with the states of its instances.
    func saved(with clerks: [ClerkID: ClerkState], in whole: SavedState) -> SavedState {
        var entries = whole.entries
        entries[Self.instance]?.state = versioned
        for (id, clerk) in clerks { entries[id.rawValue]?.state = clerk.versioned }
        return SavedState(
            configured: whole.configured, plain: whole.plain, kept: whole.kept, entries: entries)
    }

    /// The whole state of the host, whose library may be in quarantine for a reason, with the states of clerk and scribe.
    func saved(quarantine: String?, _ clerks: [PlannedClerk], _ states: [Value]) -> SavedState {
        var change = Self.change(clerks.map(\.id))
        change.patch = trials == 0 ? nil : patch
        change.made[Self.instance] = versioned
        for (clerk, state) in zip(clerks, states) {
            change.made[clerk.id.rawValue] = VersionedState(version: clerk.form, value: state)
        }
        let record = GenerationRecord(
            epoch: 1, number: 1, after: 0, time: 0,
            plan: Self.plan(form, clerks, quarantine: quarantine),
            change: change)
        return SavedState.empty.entering(record)
    }

    /// How a change that is taken back comes into the plain state.
    var patch: Value { ["trials": Value(trials)] }

    /// What no instance owns.
    var plain: PlainState { PlainState(plain: trials == 0 ? [:] : patch, kept: [:]) }

    /// What a swap says that has made no state.
    static func change(_ clerks: [ClerkID]) -> GenerationChange {
        var change = GenerationChange(gates: [instance: .active])
        for id in clerks { change.gates[id.rawValue] = .active }
        return change
    }

    /// Names the library that has the form.
    static func digest(_ form: Int) -> String { "\(form)" }

    /// The plan of a host whose library has a form, and is in quarantine for a reason; nil where it is not.
    static func plan(_ form: Int, _ clerks: [PlannedClerk], quarantine: String? = nil) -> RecordedPlan {
        var library: Members = [
            "plugin": "ledger", "version": "1.0.0", "digest": .string(digest(form)),
            "file": "libledger.so",
        ]
        library["quarantine"] = quarantine.map { .string($0) }
        var plugins: [Value] = [["id": .string(instance), "library": "libledger.so"]]
        var libraries: Members = [instance: .object(library)]
        for clerk in clerks {
            let (name, file) = (clerk.id.rawValue, "lib\(clerk.id).so")
            plugins.append([
                "id": .string(name), "library": .string(file),
                "placement": clerk.isInWorker ? "worker" : "host",
            ])
            libraries[name] = [
                "plugin": .string(name), "version": "1.0.0", "digest": .string("\(name)\(clerk.form)"),
                "file": .string(file),
            ]
        }
        let written: Value = [
            "host": "1.0.0 ab",
            "configuration": ["directory": ".", "plugins": .array(plugins)],
            "libraries": .object(libraries),
        ]
        return (try? RecordedPlan(written)) ?? .nothing
    }
}

/// How clerk or scribe stand in the plan of a host.
struct PlannedClerk {
    /// Which it is.
    let id: ClerkID
    /// The form of the state that its code has.
    let form: Int
    /// Whether it runs in a worker.
    let isInWorker: Bool
}

/// Reduces what a simulated host has recorded.
struct SimulatedReducer: PastReducer {
    func reduce(_ reduction: PastReduction) throws(PastFailure) -> PastResult {
        let isStanding = reduction.state.entries[SimulatedState.instance]?.standing != nil
        var clerks: [ClerkID: ClerkState] = [:]
        for id in ClerkID.allCases { clerks[id] = ClerkState(reduction.state.entries[id.rawValue]?.state) }
        // Some hosts have no scribe; whoever is in the host has a state.
        guard var state = SimulatedState(reduction.state), clerks[.clerk] != nil,
            ClerkID.allCases.allSatisfy({ clerks[$0] != nil || reduction.state.entries[$0.rawValue] == nil })
        else {
            throw .forgotten("there is no state after action \(reduction.after)")
        }
        var count = 0
        do throws(JournalFailure) {
            let reader = try JournalReader(folder: reduction.journal)
            let cursor = try reader.wholeRecords(from: reduction.after + 1, to: reduction.last)
            while let item = try cursor.next() {
                switch item {
                case .damage(let damage): throw JournalFailure(reader.path, .reading, .damaged(damage))
                case .record(let record):
                    count += 1
                    // In quarantine a slice stands, and gates with it.
                    let told = SimulatedAction.told(by: record.bytes) ?? -1
                    for id in ClerkID.allCases where !state.closed.contains(id) {
                        if let action = ClerkAction(told, for: id) { clerks[id]?.reduce(action) }
                    }
                    if !isStanding { state.reduce(told) }
                }
            }
        } catch {
            throw .journal(error)
        }
        return PastResult(state: state.saved(with: clerks, in: reduction.state), count: count)
    }
}
