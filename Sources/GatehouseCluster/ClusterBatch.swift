// SPDX-License-Identifier: Apache-2.0

/// Actions that are appended together, one behind the other in one array of bytes.
public struct ClusterBatch: Sendable {
    /// One action: `SEQUENCE:LENGTH:ACTION`, whose bytes follow those of the one before.
    struct Item: Sendable {
        /// The partition that it is for.
        var partition: Int
        /// The place of its writer.
        var writer: Int
        /// Where its sequence begins.
        var start: Int
        /// How many digits that has.
        var digits: Int
        /// Where the action begins.
        var action: Int
        /// Where it ends.
        var end: Int
    }

    /// The actions, in order.
    private(set) var items: [Item] = []
    /// Who has made them, `SOURCE:EPOCH`; the same one after the other only once.
    private(set) var writers: [[UInt8]] = []
    /// What items consist of.
    private(set) var bytes: [UInt8] = []
    /// The origin of the last action.
    private var last: ClusterOrigin?

    /// One without actions.
    public init() {}

    /// Whether there is nothing to append.
    public var isEmpty: Bool { items.isEmpty }
    /// How many actions there are.
    public var count: Int { items.count }
    /// How many bytes the actions have, with their numbers.
    public var byteCount: Int { bytes.count }

    /// Adds an action behind the others.
    ///
    /// - Parameter action: in wire form; copied.
    public mutating func add(
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
        writers.removeAll(keepingCapacity: keepingCapacity)
        bytes.removeAll(keepingCapacity: keepingCapacity)
        last = nil
    }
}
