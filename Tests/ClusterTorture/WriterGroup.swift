// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHostTesting
internal import SeededTesting

/// The writers of a torture, which share the keys of a scene; half of them name their lines.
struct WriterGroup {
    /// The writers.
    let writers: [ClusterWriter]

    /// How many there are.
    private static let count = 4

    /// Creates writers that may not send anything yet.
    init(keys: Int, _ generator: inout SeededGenerator) {
        writers = (0..<Self.count).map { index in
            ClusterWriter(
                "w\(index)", namingLines: index < Self.count / 2,
                keys: stride(from: index, to: keys, by: Self.count).map { "k\($0)" }, seed: generator.next())
        }
    }

    /// Starts all; returns their threads, to be joined.
    func start(to sockets: [String]) throws -> [TestWriter] { try writers.map { try $0.start(to: sockets) } }

    /// How many actions were acknowledged.
    var acknowledged: Int { writers.reduce(0) { $0 + $1.count } }
    /// Whether all writers have written what they may.
    var isWaiting: Bool { writers.allSatisfy(\.isWaiting) }
    /// Connections that broke.
    var broken: Int { writers.reduce(0) { $0 + $1.account.broken } }

    /// Allows the writers the given number of further lines together.
    func allow(_ count: Int, andNoMore isLast: Bool = false) {
        for (index, writer) in writers.enumerated() {
            writer.allow(
                count * (index + 1) / writers.count - count * index / writers.count, andNoMore: isLast)
        }
    }
}
