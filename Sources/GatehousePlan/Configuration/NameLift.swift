// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK
internal import GatehouseSupport
internal import GatehouseValue

/// How action names are carried over between the host (global) and a plugin (local).
package enum NameLift: Equatable, Sendable {
    /// The global name is this text followed by the local name; empty, or ends in `/`.
    case prefix(String)
    /// Names one by one: global to local for input, local to global for output. Others stay outside.
    case map(NameMap)
}

extension NameLift {
    /// Which way names are carried over.
    enum Direction {
        /// From the host to the plugin.
        case input
        /// From the plugin to the host.
        case output
    }

    /// Reads a prefix or a map; nil, with a report, if it is neither.
    static func read(_ node: LocatedNode, direction: Direction) -> NameLift? {
        switch node.value.content {
        case .string(let text):
            readPrefix(text, node)
        case .object:
            node.membersOnce().map { object in
                .map(NameMap(object.members.compactMap { readEntry($0, direction: direction) }))
            }
        default:
            node.fail(
                expected: "a prefix such as \"orders/\" or an object of names",
                advice: "write the prefix in double quotes")
        }
    }

    /// Reads a prefix, which must not be the beginning of host actions.
    private static func readPrefix(_ text: String, _ node: LocatedNode) -> NameLift? {
        let isComplete = text.isEmpty || text.utf8.last == UInt8(ascii: "/")
        guard isComplete, !text.utf8.contains(UInt8(ascii: "*")) else {
            let stem = text.filter { $0 != "*" }
            return node.fail(
                expected: "a prefix that ends in \"/\" and has no \"*\"",
                advice: "write \(Quotation.of(stem.utf8.last == UInt8(ascii: "/") ? stem : stem + "/"))")
        }
        guard !ReservedNames.isForHost(text) else { return node.fail(LocatedNode.reservedType(text)) }
        return .prefix(text)
    }

    /// Whether a pattern is the type of an action by which the host reports something to plugins.
    private static func isReported(_ pattern: TypePattern) -> Bool {
        !pattern.isOpen && pattern.stem == HostActions.effectInterrupted.name
    }

    /// Reads one line of a map; nil, with a report, if either name is unusable.
    private static func readEntry(_ member: LocatedNode, direction: Direction) -> NameMap.Entry? {
        let from = TypePattern(member.key)
        if from == nil {
            member.reportKey(
                member.key.isEmpty ? LocatedNode.emptyName : LocatedNode.invalidPattern(member.key))
        }
        guard let to = member.pattern(), let from else { return nil }
        guard from.isOpen || !to.isOpen else {
            return member.fail(
                expected: "a name without \"*\"",
                advice: "the \"*\" stands for nothing, since \(Quotation.of("\(from)")) has none")
        }
        switch direction {
        case .input where from.isForHost && !isReported(from):
            member.reportKey(LocatedNode.reservedType(from.description))
            return nil
        case .output where to.isForHost:
            return member.fail(LocatedNode.reservedType(to.description))
        default:
            return NameMap.Entry(from: from, to: to)
        }
    }
}
