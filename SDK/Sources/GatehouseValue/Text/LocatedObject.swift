// SPDX-License-Identifier: Apache-2.0

/// The members of an object by key, and its repeated keys.
public struct LocatedObject {
    /// The node of the object.
    public let node: LocatedNode
    /// The members in order; the first of those with the same key.
    public let members: [LocatedNode]
    /// The repeated members in order, each with the position of the first key.
    public let repeated: [(member: LocatedNode, first: TextPosition)]
    /// The index of each key's member in `members`.
    private let indexes: [ExactText: Int]

    /// Reads all members; nil for a value that is no object.
    init?(_ node: LocatedNode) {
        guard case .object(let all) = node.value.content else { return nil }
        var members: [LocatedNode] = []
        var repeated: [(member: LocatedNode, first: TextPosition)] = []
        var indexes: [ExactText: Int] = [:]
        for member in all {
            var part = LocatedNode(member.value, path: node.path.appending(.key(member.key)), log: node.log)
            part.keyPosition = member.keyPosition
            if let first = indexes[ExactText(member.key)] {
                repeated.append((part, members[first].keyPosition ?? node.value.position))
            } else {
                indexes[ExactText(member.key)] = members.count
                members.append(part)
            }
        }
        self.node = node
        self.members = members
        self.repeated = repeated
        self.indexes = indexes
    }

    /// The member with a key, compared byte by byte; nil if there is none.
    public subscript(key: String) -> LocatedNode? { indexes[ExactText(key)].map { members[$0] } }
}
