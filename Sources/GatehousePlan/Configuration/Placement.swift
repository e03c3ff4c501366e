// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSupport
internal import GatehouseValue

/// Where an instance runs.
package enum Placement: Equatable, Sendable {
    /// In the host, as strong as that.
    case host
    /// In a confined process of its own, which can end without the host.
    case worker
    /// In the same kind of process, together with all others that name it: a name with the grammar of an instance id.
    case shared(String)
}

extension Placement: RawRepresentable {
    /// The words that name no process.
    package static let words = [Placement.host, .worker].map(\.rawValue)
    /// What stands before the name of a process.
    private static let prefix = "worker:"
    /// What a file may say, for people.
    static let choices = Quotation.choice(of: words + [prefix + "NAME"])

    package init?(rawValue: String) {
        switch rawValue {
        case "host": self = .host
        case "worker": self = .worker
        default:
            guard rawValue.hasPrefix(Self.prefix) else { return nil }
            let name = String(rawValue.dropFirst(Self.prefix.count))
            guard PluginManifest.isID(name) else { return nil }
            self = .shared(name)
        }
    }

    package var rawValue: String {
        switch self {
        case .host: "host"
        case .worker: "worker"
        case .shared(let name): Self.prefix + name
        }
    }

    /// Reads the word, or the name of a worker after `worker:`; nil, with a report, for anything else.
    static func read(_ node: LocatedNode) -> Placement? {
        var suggestion: String?
        if case .string(let text) = node.value.content {
            if let placement = Placement(rawValue: text) { return placement }
            if text.hasPrefix(prefix) {
                return node.fail(
                    expected:
                        "lower-case letters, digits and \"-\" with a letter first after \(Quotation.of(prefix))",
                    advice: "rename the worker")
            }
            suggestion = NearMiss.suggestion(for: text, among: words)
        }
        return node.fail(
            expected: choices,
            advice: suggestion.map { "did you mean \(Quotation.of($0))?" } ?? "choose one of them")
    }
}
