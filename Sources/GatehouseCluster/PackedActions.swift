// SPDX-License-Identifier: Apache-2.0

/// The actions of an entry that has several, one after the other; see `ActionPacking`.
///
/// Unreadable data, written by hand, is returned as one last action without an origin, so that it is not lost silently.
@safe struct PackedActions {
    /// The bytes left to read.
    private var rest: UnsafeRawBufferPointer
    /// The common writer; nil when it cannot be read.
    private let writer: ClusterOrigin?
    /// The number of actions returned.
    private var count: UInt16 = 0
    /// Whether nothing is left.
    private var isOver = false

    /// Reads the bytes and the origin of an entry, which must outlive this.
    @unsafe init(_ packed: UnsafeRawBufferPointer, by writer: UnsafeRawBufferPointer) {
        unsafe rest = packed
        self.writer = unsafe ClusterOrigin(writer: writer)
    }

    /// Returns the next action, and its place among all of them.
    mutating func next() -> (place: UInt16, origin: ClusterOrigin?, action: UnsafeRawBufferPointer)? {
        guard !isOver else { return nil }
        count += 1
        var place = 0
        let sequence = unsafe Self.number(in: rest, at: &place)
        let length = unsafe Self.number(in: rest, at: &place).flatMap { Int(exactly: $0) }
        guard let sequence, let length, unsafe length <= rest.count - place, count < ClusterOffset.whole - 1
        else {
            isOver = true
            return unsafe (ClusterOffset.whole, nil, rest)
        }
        let action = unsafe UnsafeRawBufferPointer(rebasing: rest[place..<(place + length)])
        unsafe rest = unsafe UnsafeRawBufferPointer(rebasing: rest[(place + length)...])
        unsafe isOver = rest.isEmpty
        var origin = writer
        origin?.sequence = sequence
        return unsafe (isOver ? ClusterOffset.whole : count, origin, action)
    }

    /// Reads a number and the colon after it; nil if there is none.
    private static func number(in bytes: UnsafeRawBufferPointer, at place: inout Int) -> UInt64? {
        let start = place
        var number: UInt64 = 0
        while place < bytes.count {
            let digit = unsafe bytes[place] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooLargeThen) = product.addingReportingOverflow(UInt64(digit))
            guard !isTooLarge, !isTooLargeThen else { return nil }
            number = sum
            place += 1
        }
        guard place > start, unsafe place < bytes.count && bytes[place] == UInt8(ascii: ":") else {
            return nil
        }
        place += 1
        return number
    }
}
