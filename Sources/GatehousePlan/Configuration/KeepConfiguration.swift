// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
package import GatehouseValue

/// How much is kept, as dead letters, of actions that did not come to what they were for.
package struct KeepConfiguration: Equatable, Sendable {
    /// So many are kept, 1…100,000.
    package var count: Int = 1_000
    /// So many bytes they may have together, 1 KiB…1 GiB.
    package var bytes: Int = 4_194_304
    /// So many seconds each is kept, 1…31,622,400.
    package var age: Int = 604_800
    /// What of an action is left out, as places in its wire form.
    package var without: [JSONPointer] = []
}

extension KeepConfiguration {
    /// The keys of `keep`.
    package enum Key: String, CaseIterable {
        case count, bytes, age, without
    }

    /// Reads `true`, or an object of bounds; nil for `false`, and, with a report, for what is neither.
    package static func read(_ node: LocatedNode) -> KeepConfiguration? {
        switch node.value.content {
        case .bool(let isWanted): return isWanted ? KeepConfiguration() : nil
        case .object: break
        default: return node.fail(expected: "true or an object of bounds", advice: "write true")
        }
        guard let reader = ObjectReader<Key>(node) else { return nil }
        var keep = KeepConfiguration()
        reader.set(&keep.count, to: .count) { $0.integer(in: 1...100_000) }
        reader.set(&keep.bytes, to: .bytes) { $0.integer(in: 1_024...1_073_741_824) }
        reader.set(&keep.age, to: .age) { $0.integer(in: 1...31_622_400) }
        reader.set(&keep.without, to: .without) { $0.list { $0.jsonPointer() } }
        return keep
    }

    /// The rules as JSON, without what has its default.
    package var value: Value {
        let usual = KeepConfiguration()
        var members = Members()
        if count != usual.count { members["count"] = Value(count) }
        if bytes != usual.bytes { members["bytes"] = Value(bytes) }
        if age != usual.age { members["age"] = Value(age) }
        if !without.isEmpty { members["without"] = .array(without.map { .string("\($0)") }) }
        return members.isEmpty ? true : .object(members)
    }
}
