// SPDX-License-Identifier: Apache-2.0

/// One place where two values differ.
public struct ValueDifference: Equatable, Sendable {
    /// The place at which the two values differ.
    public let pointer: JSONPointer
    /// The value in the one, nil for nothing.
    public let old: Value?
    /// The value in the other, nil for nothing.
    public let new: Value?

    /// Creates a difference at a place.
    public init(pointer: JSONPointer, old: Value?, new: Value?) {
        self.pointer = pointer
        self.old = old
        self.new = new
    }
}

extension Value {
    /// Returns the fewest places that explain the difference of two values, in an order in which they can be
    /// applied.
    ///
    /// Objects are compared by member and arrays by position, so an insertion at the front of an array changes every
    /// element after it. Linear in the size of both.
    ///
    /// - Parameters:
    ///   - old: the one, nil for nothing.
    ///   - new: the other, nil for nothing.
    ///   - pointer: the place of the values; prefixes every place.
    public static func differences(
        from old: Value?, to new: Value?, at pointer: JSONPointer = .whole
    ) -> [ValueDifference] {
        var differences: [ValueDifference] = []
        var tokens = pointer.tokens
        addDifferences(from: old, to: new, at: &tokens, to: &differences)
        return differences
    }

    /// Performs one step of the walk; recursion is as deep as the values.
    private static func addDifferences(
        from old: Value?, to new: Value?, at tokens: inout [String], to differences: inout [ValueDifference]
    ) {
        func step(_ token: String, _ old: Value?, _ new: Value?) {
            tokens.append(token)
            addDifferences(from: old, to: new, at: &tokens, to: &differences)
            tokens.removeLast()
        }
        switch (old, new) {
        case (.object(let old)?, .object(let new)?):
            for (key, value) in old { step(key, value, new[key]) }
            for (key, value) in new where old[key] == nil { step(key, nil, value) }
        case (.array(let old)?, .array(let new)?):
            let shared = min(old.count, new.count)
            for index in 0..<shared { step(String(index), old[index], new[index]) }
            // From the end: removing an element moves those after it.
            for index in (shared..<old.count).reversed() { step(String(index), old[index], nil) }
            for index in shared..<new.count { step(String(index), nil, new[index]) }
        default:
            guard old != new else { return }
            differences.append(ValueDifference(pointer: JSONPointer(tokens: tokens), old: old, new: new))
        }
    }
}
