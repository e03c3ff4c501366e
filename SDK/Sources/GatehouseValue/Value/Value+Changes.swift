// SPDX-License-Identifier: Apache-2.0

extension Value {
    /// Applies a JSON Merge Patch (RFC 7396): objects merge, null removes a member, anything else replaces.
    public mutating func merge(_ patch: Value) {
        guard case .object(let changes) = patch else {
            self = patch
            return
        }
        var members = takeMembers() ?? Members()
        for (key, change) in changes {
            if change.isNull {
                members[key] = nil
            } else {
                members.update(key) { $0.merge(change) }
            }
        }
        self = .object(members)
    }

    /// Returns the merge patch that turns this value into another; nil when they are equal.
    ///
    /// A patch cannot express a null member of the other value: it removes that member.
    public func patch(to other: Value) -> Value? {
        guard self != other else { return nil }
        guard case .object(let old) = self, case .object(let new) = other else { return other }
        var patch = Members()
        for (key, _) in old where new[key] == nil { patch[key] = .null }
        for (key, value) in new { patch[key] = old[key].map { $0.patch(to: value) } ?? value }
        return .object(patch)
    }

    /// Sets or removes the value at a pointer.
    ///
    /// Missing members and nulls on the way become objects. In an array, an index replaces an element; the index
    /// after the last and `-` append; removing closes the gap. Removing an absent value changes nothing and
    /// succeeds; removing the whole leaves null.
    ///
    /// - Returns: false, with nothing changed, when the way leads through a string, number or boolean, names no
    ///   element of an array, or is longer than `JSONText.maximumDepth`.
    @discardableResult
    public mutating func set(_ value: Value?, at pointer: JSONPointer) -> Bool {
        guard pointer.tokens.count <= JSONText.maximumDepth else { return false }
        return set(value, at: pointer.tokens[...])
    }

    // MARK: - Implementation details

    /// Moves the members out and leaves null, so that changing them copies nothing.
    private mutating func takeMembers() -> Members? {
        guard case .object(let members) = self else { return nil }
        self = .null
        return members
    }

    /// Performs one step of `set(_:at:)`; recursion is as deep as the number of tokens.
    private mutating func set(_ value: Value?, at tokens: ArraySlice<String>) -> Bool {
        guard let token = tokens.first else {
            self = value ?? .null
            return true
        }
        let rest = tokens.dropFirst()
        switch self {
        case .null where value == nil: return true
        case .null, .object:
            var members = takeMembers()
            defer { if let members { self = .object(members) } }
            return Self.set(value, at: token, then: rest, in: &members)
        case .array(var elements):
            self = .null
            defer { self = .array(elements) }
            return Self.set(value, at: token, then: rest, in: &elements)
        default: return false
        }
    }

    /// Steps into an object; `members` is nil if there is none yet.
    private static func set(
        _ value: Value?, at token: String, then rest: ArraySlice<String>, in members: inout Members?
    ) -> Bool {
        guard let value else {
            if rest.isEmpty { members?[token] = nil }
            guard !rest.isEmpty, members?[token] != nil else { return true }
            return members?.update(token) { $0.set(nil, at: rest) } ?? true
        }
        if var present = members, present[token] != nil {
            members = nil
            defer { members = present }
            return present.update(token) { $0.set(value, at: rest) }
        }
        var present = members ?? Members()
        present[token] = rest.reversed().reduce(value) { [$1: $0] }
        members = present
        return true
    }

    /// Steps into an array.
    private static func set(
        _ value: Value?, at token: String, then rest: ArraySlice<String>, in elements: inout [Value]
    ) -> Bool {
        let index = token == "-" ? elements.count : JSONPointer.arrayIndex(token) ?? Int.max
        if elements.indices.contains(index) {
            if value != nil || !rest.isEmpty { return elements[index].set(value, at: rest) }
            elements.remove(at: index)
            return true
        }
        guard let value else { return index != Int.max }
        guard index == elements.count else { return false }
        elements.append(rest.reversed().reduce(value) { [$1: $0] })
        return true
    }
}
