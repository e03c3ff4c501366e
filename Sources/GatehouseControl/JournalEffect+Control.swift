// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseSDK

extension JournalEffect {
    /// The effect as the control socket writes it: without its key, which others may take for a proof.
    var underWay: Value {
        var members: Members = [
            "instance": .string(instance), "attempt": Value(Int(attempt)),
            "recovery": .string(recovery.rawValue),
        ]
        // Without a journal actions have numbers that nobody else knows.
        if sequence > 0, !key.isEmpty { members["action"] = .unsigned(sequence) }
        members["type"] = action.map { .string($0.type.name) }
        return .object(members)
    }
}
