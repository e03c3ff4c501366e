// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import SeededTesting
import Synchronization
import Testing

@testable import GatehouseCluster

/// A Redis that is sick, or somebody else in its place: whatever it answers, and however slowly, a member goes on or says why not.
///
/// `GATEHOUSE_HOSTILE_REPLIES` says how many answers are spoilt; `make attack` spoils 2,000.
@Suite(
    .enabled(if: RedisServer.isInstalled, "redis-server is not installed"),
    .timeLimit(.minutes(10)))
struct HostileEngineTests {
    private let server: RedisServer
    private let proxy: ConnectionProxy
    private let access: RedisAccess

    init() throws {
        server = try RedisServer()
        let path = server.folder("proxy.sock")
        proxy = try ConnectionProxy(at: path, to: server.socket)
        access = .unix(path: path)
    }

    /// How long a call may take.
    private static let patience = Duration.milliseconds(300)

    /// A cluster behind the proxy.
    private func cluster() -> RedisCluster {
        RedisCluster(access, name: "shop", partitions: 2, patience: Self.patience, pause: .zero)
    }

    /// What a call throws, and how long it has taken.
    private func failure(_ body: () throws(ClusterFailure) -> Void) -> (
        failure: ClusterFailure?, time: Duration
    ) {
        let start = ContinuousClock.now
        do throws(ClusterFailure) {
            try body()
            return (nil, start.duration(to: .now))
        } catch {
            return (error, start.duration(to: .now))
        }
    }

    /// Everything that a member asks of an engine.
    private enum Call: CaseIterable {
        case join, renew, acquire, append, read, checkpoint, attempt, wake, survey, deadLetters, takeTurn,
            requestReload
        case release

        /// Asks for it.
        func make(_ engine: any ClusterEngine) throws(ClusterFailure) {
            let presence = ClusterPresence(name: "a", life: "1")
            switch self {
            case .join: try engine.join(presence)
            case .renew: _ = try engine.renew(presence, for: .seconds(60))
            case .acquire: _ = try engine.acquire(0, for: "a", after: 0)
            case .append:
                var batch = ClusterBatch()
                for number in 1...5 as ClosedRange<UInt64> {
                    let origin = ClusterOrigin(source: "in", sequence: number)
                    batch.add(Array(#"{"type":"a"}"#.utf8), to: Int(number % 2), from: origin)
                }
                try engine.append(batch)
            case .read:
                try engine.read([(0, .start), (1, .start)], atMost: 10, waiting: .zero) { _, entry in
                    _ = unsafe (entry.offset.seconds, entry.action.count)
                }
            case .checkpoint:
                let letter = ClusterDeadLetter(
                    partition: 0, offset: ClusterOffset(1, 1), origin: nil, action: [1], reason: "b",
                    member: "a", time: 1)
                _ = try engine.checkpoint([
                    ClusterCheckpoint(
                        partition: 0, member: "a", epoch: 1, offset: ClusterOffset(1, 1), slices: ["s": [1]],
                        dead: [letter], processed: 1)
                ])
            case .attempt: _ = try engine.attempt(0, at: .start, of: "a", epoch: 1)
            case .wake: _ = try engine.wake(engine.reader())
            case .survey: for partition in try engine.survey().partitions { _ = "\(partition)" }
            case .deadLetters: _ = try engine.deadLetters(atMost: 10)
            case .takeTurn: _ = try engine.takeTurn(for: "a", .seconds(1))
            case .requestReload: _ = try engine.requestReload()
            case .release: try engine.release(0, of: "a", epoch: 1)
            }
        }
    }

    // MARK: - Answers

    /// How many answers are spoilt.
    private static let count =
        unsafe getenv("GATEHOUSE_HOSTILE_REPLIES").flatMap { unsafe UInt64(String(cString: $0)) } ?? 120

    @Test func `no answer ends a member, takes its time or its memory`() throws {
        let memory = try Self.memory()
        for seed in 1...Self.count {
            let cluster = cluster()
            guard let engine = try? cluster.connect() else { continue }
            let left = Mutex((generator: SeededGenerator(seed: seed), calls: Int(seed % 17)))
            proxy.rewrite { bytes in
                left.withLock { left in
                    guard var replies = HostileReply.all(in: bytes) else { return bytes }
                    left.calls -= 1
                    guard left.calls < 0 else { return bytes }
                    let place = Int.random(in: replies.indices, using: &left.generator)
                    replies[place].spoil(by: &left.generator)
                    return replies.flatMap(\.bytes)
                }
            }
            for call in Call.allCases {
                let (failure, time) = failure { () throws(ClusterFailure) in try call.make(engine) }
                #expect(time < Self.patience + .seconds(2), "seed \(seed)")
                if let failure {
                    #expect("\(failure)".count < 600, "seed \(seed): \(failure)")
                    if failure.endsConnection { break }
                }
            }
            // What connects meanwhile looks at everything anew.
            _ = try? cluster.connect()
            proxy.rewrite(nil)
        }
        #expect(try Self.memory() - memory < 400 << 20)
    }

    /// The most memory that this process has had, in bytes.
    private static func memory() throws -> Int {
        let status = String(decoding: try FileSystem.read("/proc/self/status"), as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return (Int(line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first ?? "") ?? 0)
            << 10
    }

    @Test(arguments: [
        "*2147483647\r\n", "*1048577\r\n", "$2147483647\r\n", "$9223372036854775807\r\n",
        "*3\r\n*1048576\r\n",
        ":99999999999999999999\r\n", String(repeating: "*1\r\n", count: 7),
        "+" + String(repeating: "a", count: 70_000),
    ])
    func `an answer that announces too much is refused at its announcement`(words: String) throws {
        let engine = try cluster().connect()
        proxy.rewrite { _ in Array(words.utf8) }
        let (failure, time) = failure { () throws(ClusterFailure) in _ = try engine.requestReload() }
        #expect(
            failure
                == .excessive(
                    "its answer has more than 256 MiB, a million elements, or arrays in one another"))
        #expect(time < Self.patience)
    }

    @Test(arguments: [
        "%1\r\n", "HTTP/1.1 400 Bad Request\r\n", "*-2\r\n", "$-7\r\n", "$\r\n", ":\r\n", ":1\n", "$1x\r\n",
        "+a\nb\r\n", "$1\r\nabc",
        "\u{16}\u{3}\u{1}",
    ])
    func `what is no answer is told as that`(words: String) throws {
        let engine = try cluster().connect()
        proxy.rewrite { _ in Array(words.utf8) }
        let (failure, _) = failure { () throws(ClusterFailure) in _ = try engine.requestReload() }
        #expect(failure == .lost("it answers in words that are not Redis's"))
    }

    @Test func `what a server says is shown on one line, and not all of it`() throws {
        let engine = try cluster().connect()
        proxy.rewrite { _ in Array("-ERR ".utf8) + Array(repeating: 65, count: 60_000) + [13, 10] }
        let (failure, _) = failure { () throws(ClusterFailure) in _ = try engine.requestReload() }
        #expect(failure == .refused("ERR " + String(repeating: "A", count: 296) + "…"))
    }

    // MARK: - Time

    @Test(arguments: [1, 5, 20, 100, 250])
    func `a byte now and then gains a server no time`(milliseconds: Int) throws {
        for call in Call.allCases {
            proxy.drip(every: nil)
            let cluster = cluster()
            let engine = try cluster.connect()
            try engine.join(ClusterPresence(name: "a", life: "1"))
            proxy.drip(every: .milliseconds(milliseconds))
            let (failure, time) = failure { () throws(ClusterFailure) in try call.make(engine) }
            #expect(time < Self.patience * 2, "\(time)")
            if milliseconds == 250, let failure { #expect(failure == .lost("no answer came in time")) }
        }
    }

    @Test func `an answer that is cut off anywhere is told`() throws {
        // The proxy ends the connection with bytes of ours unread, so that the system may say "reset" as well as "closed".
        let ends: [ClusterFailure] = [
            .lost("the other side has closed the connection"), .lost("Connection reset by peer"),
        ]
        for count in 1..<40 {
            let engine = try cluster().connect()
            proxy.cut(afterReplies: count)
            var found: ClusterFailure?
            for call in Call.allCases where found?.endsConnection != true {
                found = failure { () throws(ClusterFailure) in try call.make(engine) }.failure
            }
            #expect(found.map(ends.contains) == true, "\(String(describing: found))")
        }
    }
}
