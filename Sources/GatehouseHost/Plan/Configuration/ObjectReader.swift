// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseValue

/// Hands out the members of one object of the file by the keys that have a meaning there.
///
/// Creating a reader reports every duplicate and unknown key of the object at once.
struct ObjectReader<Key: RawRepresentable<String> & CaseIterable> {
    /// The object itself.
    let node: ConfigurationNode
    /// The known members by key; of duplicates the first.
    private let members: [String: ConfigurationMember]

    /// Reads the keys; nil, with a report, if the value is no object.
    init?(_ node: ConfigurationNode) {
        guard let all = node.members() else { return nil }
        self.node = node
        let known = Key.allCases.map(\.rawValue)
        for member in all where !known.contains(member.key) {
            let suggestion = NearMiss.suggestion(for: member.key, among: known)
            member.report(.unknownKey(member.key, suggestion: suggestion, known: known))
        }
        members = Dictionary(all.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The member of a key, nil if it is not written.
    func member(_ key: Key) -> ConfigurationMember? { members[key.rawValue] }

    /// The value of a key, nil if it is not written.
    subscript(key: Key) -> ConfigurationNode? { members[key.rawValue]?.node }

    /// The value of a key read as a type; the default if it is not written or was reported as wrong.
    func value<Result>(
        _ key: Key, default: Result, _ read: (ConfigurationNode) -> Result?
    ) -> Result {
        self[key].flatMap(read) ?? `default`
    }

    /// The value of a key that must be written; its absence is reported at the object.
    func required<Result>(_ key: Key, _ read: (ConfigurationNode) -> Result?) -> Result? {
        guard let node = self[key] else { return self.node.fail(.missingKey(key.rawValue)) }
        return read(node)
    }
}
