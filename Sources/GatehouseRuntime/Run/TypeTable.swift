// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What is known of action types, found by their places without hashing.
struct TypeTable<Known> {
    /// By the places of the types; each with its type, because the places of forgotten types are used again.
    private var entries: [(type: ActionType, known: Known)?] = []

    /// What is known of a type; nil for nothing.
    subscript(type: ActionType) -> Known? {
        get {
            let place = type.place
            guard place < entries.count, let entry = entries[place], entry.type == type else { return nil }
            return entry.known
        }
        set {
            if type.place >= entries.count {
                let count = max(type.place + 1, entries.count * 2, 64)
                entries += repeatElement(nil, count: count - entries.count)
            }
            entries[type.place] = newValue.map { (type, $0) }
        }
    }
}

extension TypeTable: Sendable where Known: Sendable {}
