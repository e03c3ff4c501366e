// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK

/// The state at a place, and how far the slices in it are whose instances run in workers; all of one moment.
struct StateAnswer: Sendable {
    /// The value; nil when there is nothing at the place.
    var value: Value?
    /// How those slices stand, by the ids of their instances: `at`, the last action that a slice contains, and how many orders
    /// are `waiting` in its worker.
    private(set) var slices = Members()

    /// A value that no worker has a part in.
    init(_ value: Value?) { self.value = value }

    /// Reads the state at a place; called in the drain.
    ///
    /// - Throws: that the state cannot be written.
    init(in turn: Turn, at pointer: JSONPointer) throws(ControlError) {
        value = try ControlledStore.state(in: turn, at: pointer)
        for instance in turn.instances {
            guard let standing = instance.worker?.standing, !instance.slice.isEmpty else { continue }
            let slice = instance.planned.entry.slice
            guard slice.contains(pointer) || pointer.contains(slice) else { continue }
            slices[instance.id] = ["at": Value(standing.at), "waiting": Value(standing.waiting)]
        }
    }

    /// Adds the slices to an answer, if there are any.
    func addSlices(to members: inout Members) {
        if !slices.isEmpty { members["slices"] = .object(slices) }
    }
}
