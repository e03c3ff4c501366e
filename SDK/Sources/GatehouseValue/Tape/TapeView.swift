// SPDX-License-Identifier: Apache-2.0

/// A cursor on one value of a tape; copying it retains the tape.
@frozen
public struct TapeView: Sendable {
    /// The value's document.
    public let tape: Tape
    /// The value's first word.
    @usableFromInline package let index: Int

    /// Creates a cursor on the value whose first word is at `index`.
    @inlinable
    package init(tape: Tape, index: Int) {
        self.tape = tape
        self.index = index
    }

    /// The kind of the value.
    @inlinable
    public var kind: TapeKind {
        switch tape.tag(at: index) {
        case TapeTag.object: .object
        case TapeTag.array: .array
        case TapeTag.string: .string
        case TapeTag.integer: .integer
        case TapeTag.unsigned: .unsigned
        case TapeTag.double: .double
        case TapeTag.yes, TapeTag.no: .bool
        case TapeTag.bigNumber: .bigNumber
        default: .null
        }
    }

    /// The number of members or elements; 0 for values that are no containers.
    @inlinable
    public var count: Int {
        switch tape.tag(at: index) {
        case TapeTag.object, TapeTag.array: tape.count(of: index)
        default: 0
        }
    }

    /// The member with this name, the last one if repeated; O(members), without allocation.
    @inlinable
    public subscript(key: String) -> TapeView? {
        guard tape.tag(at: index) == TapeTag.object, let place = tape.find(key, in: index) else { return nil }
        return TapeView(tape: tape, index: place)
    }

    /// The element at a position; nil outside the bounds or when this is not an array. O(position).
    public subscript(position: Int) -> TapeView? {
        guard position >= 0, tape.tag(at: index) == TapeTag.array, position < tape.count(of: index) else {
            return nil
        }
        var place = index + 1
        for _ in 0..<position { place = tape.end(of: place) }
        return TapeView(tape: tape, index: place)
    }

    /// The value at a pointer; nil when a step finds nothing.
    public subscript(pointer: JSONPointer) -> TapeView? {
        var view = self
        for token in pointer.tokens {
            guard let next = view[token] ?? JSONPointer.arrayIndex(token).flatMap({ view[$0] }) else {
                return nil
            }
            view = next
        }
        return view
    }

    /// Returns a tape with only this value, so that keeping it does not keep the whole document.
    ///
    /// Returns the same tape when this is the whole document; otherwise O(size of the value).
    public func detached() -> Tape {
        index == 0 && tape.end(of: 0) == tape.header.wordCount ? tape : Tape.make(value)
    }
}
