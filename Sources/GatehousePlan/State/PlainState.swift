// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// The part of a state that no instance owns, with what absent plugins have left in it.
package struct PlainState: Equatable, Sendable, ValueCodable {
    /// The values.
    package var plain: Value
    /// What is known of those that were slices, by their places.
    package var kept: [JSONPointer: KeptSlice]

    /// A plain state from its parts.
    package init(plain: Value, kept: [JSONPointer: KeptSlice]) {
        self.plain = plain
        self.kept = kept
    }

    /// The state as it is written.
    package var value: Value {
        [
            "plain": plain,
            "kept": .object(Members(kept.sorted { "\($0.key)" < "\($1.key)" }.map { ("\($0)", $1.value) })),
        ]
    }

    /// Reads a state from a value that may have other members too.
    ///
    /// - Throws: the member that is not as it is written, and what was expected there.
    package init(_ value: Value) throws(CodingFailure) {
        guard let plain = value["plain"], case .object(let slices) = value["kept"] else {
            throw CodingFailure(
                pointer: .whole, expected: "the members plain and kept", found: value.kindName)
        }
        self.init(plain: plain, kept: [:])
        for (name, slice) in slices {
            guard let pointer = try? JSONPointer(name), let read = KeptSlice(slice) else {
                throw CodingFailure(
                    pointer: JSONPointer(tokens: ["kept", name]), expected: "what a host writes there",
                    found: slice.kindName)
            }
            kept[pointer] = read
        }
    }
}

extension KeptSlice {
    /// What is known of the slice as it is written.
    fileprivate var value: Value {
        var members: Members = ["plugin": .string(plugin), "version": Value(stateVersion)]
        if let instance { members["instance"] = .string(instance) }
        return .object(members)
    }

    /// Reads what is known of a slice; nil for what no host writes.
    fileprivate init?(_ value: Value) {
        guard case .string(let plugin) = value["plugin"], let version = value["version"]?.intValue else {
            return nil
        }
        self.init(plugin: plugin, stateVersion: version, instance: value["instance"]?.stringValue)
    }
}
