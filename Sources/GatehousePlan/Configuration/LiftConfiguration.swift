// SPDX-License-Identifier: Apache-2.0

package import GatehouseValue

/// How one instance's action, state and dependency types fit the host's; nil means the default of that axis.
///
/// An object, because most instances have nothing chosen for them and share one.
package final class LiftConfiguration: Equatable, Sendable {
    /// Which global action types the plugin hears, and as which local names; by default `<id>/` as prefix.
    package let input: NameLift?
    /// Under which global types the plugin's local names leave it; by default `<id>/` as prefix.
    package let output: NameLift?
    /// Where in the state the slice is; by default `/<id>`.
    package let state: JSONPointer?
    /// The names of the host dependencies that the plugin is given, in the order written.
    package let dependencies: [String]?

    /// What the host has to give.
    package static let dependencyNames = ["clock", "data", "state", "ingress", "control"]
    /// Every axis with its default.
    package static let standard = LiftConfiguration()

    /// A lift; an axis that is left out has its default.
    package init(
        input: NameLift? = nil, output: NameLift? = nil, state: JSONPointer? = nil,
        dependencies: [String]? = nil
    ) {
        self.input = input
        self.output = output
        self.state = state
        self.dependencies = dependencies
    }

    package static func == (one: LiftConfiguration, other: LiftConfiguration) -> Bool {
        (one.input, one.output, one.state, one.dependencies)
            == (other.input, other.output, other.state, other.dependencies)
    }
}

extension LiftConfiguration {
    /// The keys of `lift`.
    package enum Key: String, CaseIterable {
        case input, output, state, dependencies
    }

    /// Reads the value of `lift`; nil, with a report, if it is no object.
    package static func read(_ node: LocatedNode) -> LiftConfiguration? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        return LiftConfiguration(
            input: reader[.input].flatMap { NameLift.read($0, direction: .input) },
            output: reader[.output].flatMap { NameLift.read($0, direction: .output) },
            state: reader[.state].flatMap(readSlice),
            dependencies: reader[.dependencies]?.list { $0.name() })
    }

    /// Reads a pointer that neither contains the host's slice nor lies in it.
    private static func readSlice(_ node: LocatedNode) -> JSONPointer? {
        guard let slice = node.jsonPointer() else { return nil }
        guard !slice.contains(ReservedNames.slice), !ReservedNames.slice.contains(slice) else {
            return node.fail(LocatedNode.reservedSlice(slice))
        }
        return slice
    }
}
