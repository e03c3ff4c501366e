// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSupport
package import GatehouseValue

/// Hands out the members of one object of the file by the keys that have a meaning there.
///
/// Creating a reader reports every duplicate and unknown key of the object at once.
package struct ObjectReader<Key: RawRepresentable<String> & CaseIterable> {
    /// The members by key.
    private let object: LocatedObject

    /// Reads the keys; nil, with a report, if the value is no object.
    package init?(_ node: LocatedNode) {
        guard let object = node.membersOnce() else { return nil }
        self.object = object
        let known = Key.allCases.map(\.rawValue)
        for member in object.members where !known.contains(member.key) {
            let word = Quotation.of(member.key)
            member.reportKey(
                RenamedKeys.place(of: member.key, among: known).map { "unknown key \(word); it is now \($0)" }
                    ?? NearMiss.suggestion(for: member.key, among: known)
                    .map { "unknown key \(word); did you mean \(Quotation.of($0))?" }
                    ?? "unknown key \(word), expected \(Quotation.choice(of: known)); rename or remove it")
        }
    }

    /// The node that is the object.
    package var node: LocatedNode { object.node }

    /// The value of a key, nil if it is not written.
    package subscript(key: Key) -> LocatedNode? { object[key.rawValue] }

    /// The value of a key read as a type; the default if it is not written or was reported as wrong.
    package func value<Result>(_ key: Key, default: Result, _ read: (LocatedNode) -> Result?) -> Result {
        self[key].flatMap(read) ?? `default`
    }

    /// Replaces a value by that of a key, unless that is not written or was reported as wrong.
    package func set<Result>(_ value: inout Result, to key: Key, _ read: (LocatedNode) -> Result?) {
        value = self.value(key, default: value, read)
    }

    /// Reads the value of a key into a place, which keeps what it has if the key is not written; false if it was reported as wrong.
    package func read<Result>(_ key: Key, into place: inout Result?, _ read: (LocatedNode) -> Result?) -> Bool
    {
        guard let node = self[key] else { return true }
        place = read(node)
        return place != nil
    }

    /// The value of a key that must be written; its absence is reported at the object.
    package func required<Result>(_ key: Key, _ read: (LocatedNode) -> Result?) -> Result? {
        guard let node = self[key] else {
            return self.node.fail("expected the key \(Quotation.of(key.rawValue)), found none; add it")
        }
        return read(node)
    }
}
