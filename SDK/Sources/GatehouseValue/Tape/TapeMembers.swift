// SPDX-License-Identifier: Apache-2.0

/// The members of an object on a tape, in the order of the text, repeated names included.
@frozen
public struct TapeMembers: Sequence, IteratorProtocol, Sendable {
    /// The object's document.
    @usableFromInline let tape: Tape
    /// The word of the next member's name.
    @usableFromInline var place: Int
    /// The object's end word.
    @usableFromInline let last: Int

    /// Starts before the first member; a view on anything but an object has none.
    @inlinable
    init(_ view: TapeView) {
        tape = view.tape
        place = view.index + 1
        last = view.tape.tag(at: view.index) == TapeTag.object ? view.tape.end(of: view.index) - 1 : place
    }

    /// Returns the next member: its name as a view on a string, which is free to make, and its value.
    @inlinable
    public mutating func next() -> (name: TapeView, value: TapeView)? {
        guard place < last else { return nil }
        defer { place = tape.end(of: place + 1) }
        return (TapeView(tape: tape, index: place), TapeView(tape: tape, index: place + 1))
    }
}

extension TapeView {
    /// The members in order; none when this is not an object.
    @inlinable
    public var members: TapeMembers { TapeMembers(self) }
}
