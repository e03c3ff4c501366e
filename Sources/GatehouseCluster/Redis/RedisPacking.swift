// SPDX-License-Identifier: Apache-2.0

/// Packs the actions of a batch into entries of streams: several of a partition into one, which costs Redis little more than one
/// action does.
///
/// An entry of one action has the fields `a`, the action, and `o`, its origin. An entry of several has `p`, for each of them
/// `SEQUENCE:LENGTH:ACTION`, and `o`, their common `SOURCE:EPOCH`.
struct RedisPacking {
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
            for (index, first) in stream.entries.enumerated() {
                let end =
                    index + 1 < stream.entries.count ? stream.entries[index + 1] : stream.items.upperBound
                write(order[first..<end], to: &commands)
            }
        }
    }

    /// Adds an entry.
    private func write(_ places: ArraySlice<Int>, to commands: inout RedisCommands) {
        guard let first = places.first else { return }
        let item = batch.items[first]
        let writer = batch.writers[item.writer]
        guard places.count > 1 else {
            commands.add("a")
            commands.add(batch.bytes[item.action..<item.end])
            commands.add(writer + ":".utf8 + batch.bytes[item.start..<(item.start + item.digits)])
            return
        }
        commands.add("p")
        let size = places.reduce(0) { $0 + batch.items[$1].end - batch.items[$1].start }
        commands.begin(bytes: size)
        for place in places {
            commands.append(batch.bytes[batch.items[place].start..<batch.items[place].end])
        }
        commands.end()
        commands.add(writer)
    }
}
