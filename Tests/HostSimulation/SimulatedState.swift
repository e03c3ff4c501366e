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

    /// Reduces an action that says a number.
    mutating func reduce(_ told: Int) {
        count += 1
        sum = (sum &+ UInt64(bitPattern: Int64(told))) &* 0x100_0000_01b3 & (1 << 62 - 1)
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
        VersionedState(version: form, value: ["count": Value(count), "sum": .unsigned(sum)])
    }

    /// A state without actions.
    init() {}

    /// Reads a state; nil for what no simulated host keeps.
    init?(_ kept: VersionedState?) {
        guard let kept, let count = kept.value["count"]?.intValue, let sum = kept.value["sum"]?.wholeNumber
        else { return nil }
        (self.count, self.sum, form) = (count, sum, kept.version)
    }

    /// The whole state of the host with the states of its instances.
    func saved(with clerk: ClerkState, in whole: SavedState) -> SavedState {
        var entries = whole.entries
        entries[Self.instance]?.state = versioned
        entries[ClerkState.instance]?.state = clerk.versioned
        return SavedState(
            configured: whole.configured, plain: whole.plain, kept: whole.kept, entries: entries)
    }

    /// The whole state of the host, whose library may be in quarantine for a reason, with that of the clerk, which may run in a worker.
    func saved(quarantine: String?, clerk: VersionedState, inWorker isInWorker: Bool) -> SavedState {
        var change = Self.change
        change.made[Self.instance] = versioned
        change.made[ClerkState.instance] = clerk
        let record = GenerationRecord(
            epoch: 1, number: 1, after: 0, time: 0,
            plan: Self.plan(form, clerk: clerk.version, inWorker: isInWorker, quarantine: quarantine),
            change: change)
        return SavedState.empty.entering(record)
    }

    /// What a swap says that has made no state.
    static var change: GenerationChange {
        GenerationChange(gates: [instance: .active, ClerkState.instance: .active])
    }

    /// Names the library that has the form.
    static func digest(_ form: Int) -> String { "\(form)" }

    /// The plan of a host whose library has a form, as that of the clerk has one, and is in quarantine for a reason; nil where it is not.
    static func plan(_ form: Int, clerk: Int, inWorker isInWorker: Bool, quarantine: String? = nil)
        -> RecordedPlan
    {
        var library: Members = [
            "plugin": "ledger", "version": "1.0.0", "digest": .string(digest(form)),
            "file": "libledger.so",
        ]
        library["quarantine"] = quarantine.map { .string($0) }
        let written: Value = [
            "host": "1.0.0 ab",
            "configuration": [
                "directory": ".",
                "plugins": [
                    ["id": .string(instance), "library": "libledger.so"],
                    [
                        "id": .string(ClerkState.instance), "library": "libclerk.so",
                        "placement": isInWorker ? "worker" : "host",
                    ],
                ],
            ],
            "libraries": [
                instance: .object(library),
                ClerkState.instance: [
                    "plugin": "clerk", "version": "1.0.0", "digest": .string("clerk\(clerk)"),
                    "file": "libclerk.so",
                ],
            ],
        ]
        return (try? RecordedPlan(written)) ?? .nothing
    }
}

/// Reduces what a simulated host has recorded.
struct SimulatedReducer: PastReducer {
    func reduce(_ reduction: PastReduction) throws(PastFailure) -> PastResult {
        let entry = reduction.state.entries[SimulatedState.instance]
        guard var state = SimulatedState(entry?.state),
            var clerk = ClerkState(reduction.state.entries[ClerkState.instance]?.state)
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
                    // In quarantine a slice stands.
                    let told = SimulatedAction.told(by: record.bytes) ?? -1
                    if entry?.standing == nil { state.reduce(told) }
                    if let action = ClerkAction(told) { clerk.reduce(action) }
                }
            }
        } catch {
            throw .journal(error)
        }
        return PastResult(state: state.saved(with: clerk, in: reduction.state), count: count)
    }
}
