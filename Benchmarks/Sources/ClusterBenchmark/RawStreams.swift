// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting

/// The streams of a number of partitions in a Redis, written and read with no Gatehouse; each time is in seconds.
struct RawStreams {
    /// Where Redis listens.
    private let socket: String
    /// The keys of the streams.
    private let streams: [String]
    /// The commands that write a batch.
    private let batch: [UInt8]
    /// How many there are.
    private let count = 1_024

    /// Nothing is written yet.
    init(_ socket: String, partitions: Int, batch: [UInt8]) {
        self.socket = socket
        self.batch = batch
        streams = (0..<partitions).map(Self.stream)
    }

    /// The key of a partition's stream, as long as a member's.
    static func stream(_ partition: Int) -> String { "{gatehouse:bench}:in:\(partition)" }

    /// Writes batches into empty streams.
    func write(_ batches: Int) -> Double {
        let client = RawRedis(socket)
        client.ask("FLUSHALL")
        return time { write(batches, by: client) }
    }

    /// Reads all that was written.
    func read(_ total: Int) -> Double {
        let client = RawRedis(socket)
        return time { client.read(streams, until: total, atMost: atMost) }
    }

    /// Writes batches into empty streams while another thread reads them.
    func writeAndRead(_ batches: Int, _ total: Int) -> Double {
        let client = RawRedis(socket)
        client.ask("FLUSHALL")
        let reader = JoinableThread { RawRedis(socket).read(streams, until: total, atMost: atMost) }
        return time {
            write(batches, by: client)
            reader.join()
        }
    }

    /// So many are read of a stream at once, as a member does.
    private var atMost: Int { max(16, 4_096 / streams.count) }

    /// Sends each batch before the answers to the one before are there.
    private func write(_ batches: Int, by client: RawRedis) {
        client.send(batch)
        for _ in 1..<batches {
            client.send(batch)
            client.receive(count)
        }
        client.receive(count)
    }

    /// How long something takes.
    private func time(_ body: () -> Void) -> Double { ContinuousClock().measure(body) / .seconds(1) }
}
