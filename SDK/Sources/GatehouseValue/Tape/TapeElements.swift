// SPDX-License-Identifier: Apache-2.0

/// The elements of an array on a tape, in order; walking allocates nothing.
@frozen
public struct TapeElements: Sequence, IteratorProtocol, Sendable {
    /// The array's document.
    @usableFromInline let tape: Tape
    /// The first word of the next element.
    @usableFromInline var place: Int
    /// The array's end word.
    @usableFromInline let last: Int

    /// Starts before the first element; a view on anything but an array has none.
    @inlinable
    init(_ view: TapeView) {
        tape = view.tape
        place = view.index + 1
        last = view.tape.tag(at: view.index) == TapeTag.array ? view.tape.end(of: view.index) - 1 : place
    }

    /// Returns the next element; nil after the last.
    @inlinable
    public mutating func next() -> TapeView? {
        guard place < last else { return nil }
        defer { place = tape.end(of: place) }
        return TapeView(tape: tape, index: place)
    }
}

extension TapeView {
    /// The elements in order; none when this is not an array.
    @inlinable
    public var elements: TapeElements { TapeElements(self) }
}
