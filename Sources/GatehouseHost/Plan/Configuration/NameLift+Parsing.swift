// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseValue

extension NameLift {
    /// Which way names are carried over.
    enum Direction {
        /// From the host to the plugin.
        case input
        /// From the plugin to the host.
        case output
    }

    /// Reads a prefix or a map; nil, with a report, if it is neither.
    static func read(_ node: ConfigurationNode, direction: Direction) -> NameLift? {
        switch node.value.content {
        case .string(let text):
            readPrefix(text, node)
        case .object:
            node.members().map { members in
                .map(NameMap(members.compactMap { readEntry($0, direction: direction) }))
            }
        default:
            node.fail(expected: .prefixOrMap)
        }
    }

    /// Reads a prefix, which must not be the beginning of host actions.
    private static func readPrefix(_ text: String, _ node: ConfigurationNode) -> NameLift? {
        let isComplete = text.isEmpty || text.utf8.last == UInt8(ascii: "/")
        guard isComplete, !text.utf8.contains(UInt8(ascii: "*")) else {
            return node.fail(.invalidPrefix(text))
        }
        guard !text.utf8.starts(with: ReservedNames.typePrefix.utf8) else {
            return node.fail(.reservedType(text))
        }
        return .prefix(text)
    }

    /// Reads one line of a map; nil, with a report, if either name is unusable.
    private static func readEntry(_ member: ConfigurationMember, direction: Direction) -> NameMap.Entry? {
        let from = TypePattern(member.key)
        if from == nil { member.report(member.key.isEmpty ? .emptyName : .invalidPattern(member.key)) }
        guard let to = member.node.pattern(), let from else { return nil }
        guard from.isOpen || !to.isOpen else {
            return member.node.fail(.unmatchedWildcard(to.description, from: from.description))
        }
        switch direction {
        case .input where from.isForHost:
            member.report(.reservedType(from.description))
            return nil
        case .output where to.isForHost:
            return member.node.fail(.reservedType(to.description))
        default:
            return NameMap.Entry(from: from, to: to)
        }
    }
}
