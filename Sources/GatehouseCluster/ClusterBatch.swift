// SPDX-License-Identifier: Apache-2.0

/// Actions that are appended together, one behind the other in one array of bytes.
public struct ClusterBatch: Sendable {
    /// One action, whose origin and bytes follow those of the one before.
    struct Item: Sendable {
        /// The partition that it is for.
        var partition: Int
        /// Where its origin begins.
        var start: Int
        /// How many bytes its origin has.
        var origin: Int
        /// How many bytes it has itself.
        var action: Int
    }

    /// The actions, in order.
    private(set) var items: [Item] = []
    /// Their origins and bytes, in turns.
    private(set) var bytes: [UInt8] = []

    /// One without actions.
    public init() {}

    /// Whether there is nothing to append.
    public var isEmpty: Bool { items.isEmpty }
    /// How many actions there are.
    public var count: Int { items.count }
    /// How many bytes the actions have, with their origins.
    public var byteCount: Int { bytes.count }

    /// Adds an action behind the others.
    ///
    /// - Parameter action: in wire form; copied.
    public mutating func add(
        _ action: UnsafeRawBufferPointer, to partition: Int, from origin: ClusterOrigin
    ) {
        let start = bytes.count
        bytes.append(contentsOf: origin.source.utf8)
        bytes.append(UInt8(ascii: ":"))
        append(UInt64(max(0, origin.epoch)))
        bytes.append(UInt8(ascii: ":"))
        append(origin.sequence)
        items.append(
            Item(partition: partition, start: start, origin: bytes.count - start, action: action.count))
        unsafe bytes.append(contentsOf: action)
    }

    /// Adds an action of bytes behind the others.
    public mutating func add(_ action: [UInt8], to partition: Int, from origin: ClusterOrigin) {
        unsafe action.withUnsafeBytes { unsafe add($0, to: partition, from: origin) }
    }

    /// Writes a number in digits.
    private mutating func append(_ number: UInt64) {
        let start = bytes.count
        var rest = number
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    /// Makes room for other actions.
    public mutating func removeAll(keepingCapacity: Bool = true) {
        items.removeAll(keepingCapacity: keepingCapacity)
        bytes.removeAll(keepingCapacity: keepingCapacity)
    }
}
