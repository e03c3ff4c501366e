// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
package import GatehouseValue

/// Whether clients can control the host while it runs, and where.
package enum ControlConfiguration: Equatable, Sendable {
    /// The host cannot be controlled.
    case off
    /// At the place that the host's name has.
    case named
    /// At a path; a relative one starts at the configuration file's folder.
    case socket(path: String)

    /// What a path begins with.
    private static let scheme = "unix:"

    /// Reads the value of `control`.
    package static func read(_ node: LocatedNode) -> ControlConfiguration? {
        switch node.value.content {
        case .bool(let isOn): return isOn ? .named : .off
        case .string(let text):
            guard text.hasPrefix(scheme), text.count > scheme.count, !text.contains("\0") else { break }
            return .socket(path: String(text.dropFirst(scheme.count)))
        default: break
        }
        return node.fail(
            "expected true, false or \"unix:\" with a path, found \(Quotation.of(node.value)); write true for the usual place"
        )
    }
}
