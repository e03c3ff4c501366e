// SPDX-License-Identifier: Apache-2.0

import GatehouseValue

extension LiftConfiguration {
    /// The keys of `lift`.
    enum Key: String, CaseIterable {
        case input, output, state, dependencies
    }

    /// Reads the value of `lift`; nil, with a report, if it is no object.
    static func read(_ node: ConfigurationNode) -> LiftConfiguration? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        return LiftConfiguration(
            input: reader[.input].flatMap { NameLift.read($0, direction: .input) },
            output: reader[.output].flatMap { NameLift.read($0, direction: .output) },
            state: reader[.state].flatMap(readSlice),
            dependencies: reader[.dependencies]?.names())
    }

    /// Reads a pointer that neither contains the host's slice nor lies in it.
    private static func readSlice(_ node: ConfigurationNode) -> JSONPointer? {
        guard let slice = node.jsonPointer() else { return nil }
        guard !slice.contains(ReservedNames.slice), !ReservedNames.slice.contains(slice) else {
            return node.fail(.reservedSlice(slice))
        }
        return slice
    }
}
