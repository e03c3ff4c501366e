// SPDX-License-Identifier: Apache-2.0

/// Packs the actions of a batch into entries of streams: several of a partition into one, which costs an engine little more than one
/// action does.
///
/// An entry of one action has that and its origin: in Redis the fields `a` and `o`. An entry of several has for each of them
/// `SEQUENCE:LENGTH:ACTION`, in Redis the field `p`, and their common `SOURCE:EPOCH` as its origin.
struct ActionPacking {
    /// The most actions in an entry.
    static let mostActions = 256
    /// The most bytes in an entry of several actions.
    static let mostBytes = 65_536

    /// The entries for a partition.
    struct Stream {
        /// The partition's number.
        let partition: Int
        /// The range of its actions.
        let items: Range<Int>
        /// The first action of each entry.
        fileprivate(set) var entries: [Int] = []
    }

    /// The batch being packed.
    private let batch: ClusterBatch
    /// The indices of actions in the batch, by partition.
    private let order: [Int]
    /// The receiving partitions, in order.
    private(set) var streams: [Stream] = []

    /// Assigns actions to entries.
    init(_ batch: ClusterBatch, partitions: Int) {
        self.batch = batch
        guard !batch.isEmpty else {
            order = []
            return
        }
        var counts = Array(repeating: 0, count: partitions)
        for item in batch.items { counts[item.partition] += 1 }
        var places = Array(repeating: 0, count: partitions)
        var next = 0
        for partition in counts.indices where counts[partition] > 0 {
            places[partition] = next
            streams.append(Stream(partition: partition, items: next..<(next + counts[partition])))
            next += counts[partition]
        }
        var order = Array(repeating: 0, count: batch.count)
        for (index, item) in batch.items.enumerated() {
            order[places[item.partition]] = index
            places[item.partition] += 1
        }
        self.order = order
        for index in streams.indices {
            var (writer, count, size) = (-1, 0, 0)
            for place in streams[index].items {
                let item = batch.items[order[place]]
                let length = item.end - item.start
                if item.writer != writer || count == Self.mostActions || size + length > Self.mostBytes {
                    streams[index].entries.append(place)
                    (writer, count, size) = (item.writer, 0, 0)
                }
                count += 1
                size += length
            }
        }
    }

    /// One entry: its bytes, its origin, how many actions it has, and whether they are packed.
    typealias Entry = (bytes: [UInt8], origin: [UInt8], count: Int, isPacked: Bool)

    /// The entries for a partition, in order.
    func entries(of stream: Stream) -> [Entry] {
        ranges(of: stream).map { places in
            let isPacked = places.count > 1
            let bytes = places.reduce(into: [UInt8]()) { bytes, place in
                let item = batch.items[order[place]]
                bytes += batch.bytes[(isPacked ? item.start : item.action)..<item.end]
            }
            return (bytes, origin(of: order[places]), places.count, isPacked)
        }
    }

    /// The ranges of actions that share an entry.
    private func ranges(of stream: Stream) -> [Range<Int>] {
        stream.entries.indices.map { index in
            stream.entries[
                index]..<(index + 1 < stream.entries.count
                ? stream.entries[index + 1] : stream.items.upperBound)
        }
    }

    /// The origin of an entry of these actions.
    private func origin(of places: ArraySlice<Int>) -> [UInt8] {
        guard let first = places.first else { return [] }
        let item = batch.items[first]
        let writer = batch.writers[item.writer]
        guard places.count == 1 else { return writer }
        return writer + ":".utf8 + batch.bytes[item.start..<(item.start + item.digits)]
    }

    /// The number of words that `write(to:)` adds.
    var words: Int { streams.reduce(1) { $0 + 3 + 3 * $1.entries.count } }

    /// Adds the number of streams; for each the partition and the numbers of its entries and actions; for each entry the name and the
    /// value of its first field, and its origin.
    func write(to commands: inout RedisCommands) {
        commands.reserve(batch.byteCount + batch.count * 16)
        commands.add(streams.count)
        for stream in streams {
            commands.add(stream.partition)
            commands.add(stream.entries.count)
            commands.add(stream.items.count)
        }
        for stream in streams {
            for places in ranges(of: stream) { write(order[places], to: &commands) }
        }
    }

    /// Adds an entry.
    private func write(_ places: ArraySlice<Int>, to commands: inout RedisCommands) {
        guard let first = places.first else { return }
        let item = batch.items[first]
        guard places.count > 1 else {
            commands.add("a")
            commands.add(batch.bytes[item.action..<item.end])
            commands.add(origin(of: places))
            return
        }
        commands.add("p")
        let size = places.reduce(0) { $0 + batch.items[$1].end - batch.items[$1].start }
        commands.begin(bytes: size)
        for place in places {
            commands.append(batch.bytes[batch.items[place].start..<batch.items[place].end])
        }
        commands.end()
        commands.add(origin(of: places))
    }
}
