// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehouseHostTesting
import Glibc

/// `bench-cluster [ACTIONS [ROUNDS]]`: compares one member of a cluster with a client that only puts the same bytes into the same Redis
/// and reads them back, in interleaved rounds, and times checkpoints. Ends with 1 when a bar is missed.
///
/// The raw client writes 1,024 commands at once and sends the next ones before the answers to the last are there.
@main struct ClusterBenchmark {
    /// The bytes of an action.
    private static let size = 200
    /// How many actions are sent at once.
    private static let batch = 1_024
    /// At least so much of the raw rate is wanted of a member.
    private static let leastRatio = 0.6
    /// At most so many milliseconds are wanted of a checkpoint, in the middle.
    private static let mostMilliseconds = 3.0

    static func main() throws {
        let numbers = CommandLine.arguments.dropFirst().map { Int($0) ?? 0 }
        guard numbers.allSatisfy({ $0 > 0 }), numbers.count < 3 else {
            print("usage: bench-cluster [ACTIONS [ROUNDS]]")
            exit(64)
        }
        guard RedisServer.isInstalled else {
            print("bench-cluster: install redis-server")
            exit(69)
        }
        let batches = max(1, (numbers.first ?? 1_000_000) / batch)
        let rounds = numbers.count > 1 ? numbers[1] : 3
        let redis = try RedisServer()
        let ratios = try rates(redis, batches, rounds)
        let median = try checkpoints(redis)
        exit(ratios.allSatisfy { $0 >= leastRatio } && median <= mostMilliseconds ? 0 : 1)
    }

    // MARK: - Rates

    /// Prints how many actions go through; gives what a member reaches of the raw rate.
    private static func rates(_ redis: RedisServer, _ batches: Int, _ rounds: Int) throws -> [Double] {
        let member = try WholeMember(redis: redis)
        let count = batches * batch
        let lines = (0..<count).flatMap { Array((action($0) + "\n").utf8) }
        print(
            "\(count) actions of \(size) bytes, medians of \(rounds) rounds, in thousands a second\n\npartitions  written    read  both in turn  both at once  member  ratio"
        )
        return try [1, 8, 64].map { partitions in
            var (written, read, both, whole): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
            for round in 0...rounds {
                let raw = RawStreams(redis.socket, partitions: partitions, batch: commands(partitions))
                let times = (raw.write(batches), raw.read(count), raw.writeAndRead(batches, count))
                let time = try member.run(lines, partitions: partitions)
                // The first round fills caches.
                guard round > 0 else { continue }
                written.append(times.0)
                read.append(times.1)
                both.append(times.2)
                whole.append(time)
            }
            let turn = middle(written) + middle(read)
            let ratio = min(turn, middle(both)) / middle(whole)
            let rates = [middle(written), middle(read), turn, middle(both), middle(whole)].map {
                (Double(count) / $0 / 1_000).rounded()
            }
            print(
                [
                    (String(partitions), 10), ("\(rates[0])", 9), ("\(rates[1])", 8), ("\(rates[2])", 14),
                    ("\(rates[3])", 14), ("\(rates[4])", 8), ("\((ratio * 100).rounded() / 100)", 7),
                ].map { String(repeating: " ", count: max(1, $1 - $0.count)) + $0 }.joined())
            fflush(nil)
            return ratio
        }
    }

    /// The commands of a batch: the member's actions and their origins, each in an entry of its own.
    private static func commands(_ partitions: Int) -> [UInt8] {
        (0..<batch).flatMap { number in
            RawRedis.command([
                "XADD", RawStreams.stream(number % partitions), "*", "a", action(number), "o",
                "bench.k3f9a1:0:\(100_000 + number)",
            ])
        }
    }

    /// An action of one of ten thousand keys.
    private static func action(_ number: Int) -> String {
        let start = #"{"type":"counter/increment","payload":{"by":1,"key":"E-\#(number % 10_000)","pad":""#
        return start + String(repeating: "x", count: size - start.utf8.count - 3) + #""}}"#
    }

    /// The middle one.
    private static func middle(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

    // MARK: - Checkpoints

    /// Prints how long checkpoints of a slice of 16 KB with 100 outputs take; gives the milliseconds in the middle.
    private static func checkpoints(_ redis: RedisServer) throws -> Double {
        try redis.call("FLUSHALL")
        let engine = try RedisCluster(.unix(path: redis.socket), name: "bench", partitions: 64).connect()
        let presence = ClusterPresence(name: "a", life: "1")
        try engine.join(presence)
        _ = try engine.renew(presence, for: .seconds(600))
        guard case .granted(let epoch, _, _, _) = try engine.acquire(0, for: "a", after: 0) else { exit(70) }
        let bytes = Array(action(0).utf8)
        var checkpoint = ClusterCheckpoint(partition: 0, member: "a", epoch: epoch)
        checkpoint.slices = ["eu": Array(repeating: UInt8(ascii: "x"), count: 16_384)]
        checkpoint.processed = 100
        var times: [Double] = []
        for round in 0..<1_100 {
            var batch = ClusterBatch()
            for number in 0..<100 {
                batch.add(bytes, to: 0, from: .init(source: "in", sequence: UInt64(round * 100 + number)))
            }
            try engine.append(batch)
            try engine.read([(0, checkpoint.offset)], atMost: 100, waiting: .zero) {
                checkpoint.offset = $1.offset
            }
            checkpoint.number += 1
            checkpoint.outputs = (0..<100).map { number in
                let origin = ClusterOrigin(source: "0", epoch: epoch, sequence: UInt64(round * 100 + number))
                return .init(partition: 1 + number % 63, origin: origin, action: bytes)
            }
            let clock = ContinuousClock()
            let time = try clock.measure { guard try engine.checkpoint(checkpoint) == nil else { exit(70) } }
            // The first ones fill caches.
            if round >= 100 { times.append(time / .milliseconds(1)) }
        }
        times.sort()
        let figures = [times[times.count / 2], times[times.count * 99 / 100]].map {
            ($0 * 1_000).rounded() / 1_000
        }
        print(
            "\ncheckpoint of a slice of 16 KB with 100 outputs: median \(figures[0]) ms, 99th percentile \(figures[1]) ms"
        )
        return times[times.count / 2]
    }
}
