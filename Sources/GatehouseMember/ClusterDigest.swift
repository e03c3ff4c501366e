// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
package import GatehousePlan
internal import GatehouseSDK

/// What all members of a cluster should have alike, as three short digests: `PLUGINS.CONFIGURATION.KEYS`.
package struct ClusterDigest: Equatable, Sendable {
    /// A part in which members differ.
    package enum Part: Int, CaseIterable, Sendable {
        /// The libraries of the instances.
        case plugins
        /// Settings, lifts, gates and order of the instances in partitions, and the configured state.
        case configuration
        /// How actions find their partitions, and how long their names are known.
        case keys
    }

    /// The parts, in order; a digest of a version without parts is one.
    private let parts: [String]

    /// Makes the digest of what a plan would run.
    package init(of plan: HostPlan) {
        let plugins = plan.instances.map { "\($0.id) \($0.digest?.hex ?? "")" }.sorted()
        var instances = [Self.canonical(plan.configuration.state)]
        // Those beside the partitions, such as servers, may differ from machine to machine.
        for instance in plan.instances where instance.manifest.scope != .host {
            let entry = instance.entry.value
            let settings = ["id", "settings", "lift", "gate", "allow"].map {
                Self.canonical(entry[$0] ?? .null)
            }
            instances.append(settings.joined(separator: " "))
        }
        let keys = (plan.configuration.cluster?.keys ?? []).map { "\($0.types) \($0.place)" }.sorted()
        let window = plan.configuration.cluster?.deduplicate ?? 0
        parts = [plugins, instances, keys + ["\(window)"]].map(Self.short)
    }

    /// Reads the digest of another member.
    init(_ text: String) {
        parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// The written form.
    package var text: String { parts.joined(separator: ".") }

    /// The parts in which another one differs; of one of a version without parts, nothing is known of its keys.
    func differences(from other: ClusterDigest) -> Set<Part> {
        guard parts.count == Part.allCases.count, other.parts.count == parts.count else {
            return parts == other.parts ? [] : [.plugins, .configuration]
        }
        return Set(Part.allCases.filter { parts[$0.rawValue] != other.parts[$0.rawValue] })
    }

    /// Returns the first digits of the digest of lines.
    private static func short(_ lines: [String]) -> String {
        var hash = SHA256()
        hash.update(Array(lines.joined(separator: "\n").utf8))
        return String(hash.finish().hex.prefix(16))
    }

    /// Returns a value as text, whatever the order in which its members were written.
    private static func canonical(_ value: Value) -> String {
        switch value {
        case .object(let members):
            let sorted = members.sorted { $0.key < $1.key }
            return "{"
                + sorted.map { "\(Value.string($0.key).json()):\(canonical($0.value))" }.joined(
                    separator: ",")
                + "}"
        case .array(let elements): return "[" + elements.map(canonical).joined(separator: ",") + "]"
        default: return value.json()
        }
    }
}

extension ClusterDigest.Part {
    /// What another member has, as part of a sentence.
    private var words: String {
        switch self {
        case .plugins: "other plugins"
        case .configuration: "another configuration of its instances"
        case .keys: "another \"key\" or \"deduplicate\""
        }
    }

    /// Returns what differs, as part of a sentence.
    static func words(_ parts: Set<ClusterDigest.Part>) -> String {
        let words = parts.sorted { $0.rawValue < $1.rawValue }.map(\.words)
        return words.count < 2
            ? words.joined() : words.dropLast().joined(separator: ", ") + " and " + (words.last ?? "")
    }
}
