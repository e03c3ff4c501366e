// SPDX-License-Identifier: Apache-2.0

/// Actions appended together, one after the other in one array of bytes.
package struct ClusterBatch: Sendable {
    /// One action: `SEQUENCE:LENGTH:ACTION`, whose bytes follow those of the one before.
    package struct Item: Sendable {
        /// The partition of the action.
        package var partition: Int
        /// The index of its writer.
        package var writer: Int
        /// The start of its sequence number.
        package var start: Int
        /// The number of digits of the sequence number.
        package var digits: Int
        /// The start of the action.
        package var action: Int
        /// The end of the action.
        package var end: Int
    }

    /// The actions, in order.
    private(set) var items: [Item] = []
    /// The writers, as `SOURCE:EPOCH`, without consecutive repetitions.
    private(set) var writers: [[UInt8]] = []
    /// The bytes of the items.
    private(set) var bytes: [UInt8] = []
    /// The origin of the last action.
    private var last: ClusterOrigin?

    /// Creates an empty batch.
    package init() {}

    /// Whether there is nothing to append.
    package var isEmpty: Bool { items.isEmpty }
    /// The number of actions.
    package var count: Int { items.count }
    /// The number of bytes of the actions, with their numbers.
    package var byteCount: Int { bytes.count }

    /// Appends an action.
    ///
    /// - Parameter action: in wire form; copied.
    package mutating func add(
        _ action: UnsafeRawBufferPointer, to partition: Int, from origin: ClusterOrigin
    ) {
        if last.map({ $0.epoch != origin.epoch || $0.source != origin.source }) ?? true {
            writers.append(Array("\(origin.source):\(max(0, origin.epoch))".utf8))
            last = origin
        }
        let start = bytes.count
        append(origin.sequence)
        let digits = bytes.count - start
        bytes.append(UInt8(ascii: ":"))
        append(UInt64(action.count))
        bytes.append(UInt8(ascii: ":"))
        let place = bytes.count
        unsafe bytes.append(contentsOf: action)
        items.append(
            Item(
                partition: partition, writer: writers.count - 1, start: start, digits: digits, action: place,
                end: bytes.count))
    }

    /// Appends an action given as an array.
    package mutating func add(_ action: [UInt8], to partition: Int, from origin: ClusterOrigin) {
        unsafe action.withUnsafeBytes { unsafe add($0, to: partition, from: origin) }
    }

    /// Appends a number in digits.
    private mutating func append(_ number: UInt64) {
        let start = bytes.count
        var rest = number
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    /// Removes all actions.
    package mutating func removeAll(keepingCapacity: Bool = true) {
        items.removeAll(keepingCapacity: keepingCapacity)
        writers.removeAll(keepingCapacity: keepingCapacity)
        bytes.removeAll(keepingCapacity: keepingCapacity)
        last = nil
    }
}
