// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import SeededTesting
import Synchronization
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What a host makes of the bytes that a worker tells it.
@Suite(.timeLimit(.minutes(10))) struct WorkerAnswersTests {
    /// Takes bytes from a worker that is over after them, and gives the objection to it; nil for none.
    static func objection(to bytes: [UInt8]) throws -> String? {
        let fromWorker = try RingFile(named: "from worker", capacity: 1 << 16)
        let toWorker = try RingFile(named: "to worker", capacity: 1 << 16)
        let group = WorkerGroup(["a"], patience: .seconds(1), rules: SuperviseConfiguration()) { _ in
            throw WorkerFailure(reasons: [])
        }
        let link = group.links[0]
        defer { link.end() }
        link.isOver.store(true, ordering: .releasing)
        // Each side maps its own memory first, which is sealed then.
        let (ofWorker, ofHost) = (try RingMemory(own: fromWorker), try RingMemory(own: toWorker))
        var writer = RingWriter(own: ofWorker, other: try RingMemory(other: toWorker))
        #expect(try writer.put(bytes.span) == bytes.count)
        writer.publish()
        switch WorkerAnswers(of: link, link.bell).take(
            ofHost, try RingMemory(other: fromWorker), atMost: .seconds(60))
        {
        case .lie(let lie): return lie
        case .hung: return "hung"
        case .refused(let reason): return "does not begin again: \(reason)"
        case nil: return nil
        }
    }

    /// The bytes of a frame.
    private static func frame(_ news: WorkerNews, _ body: (inout FrameWriter) -> Void = { _ in }) -> [UInt8] {
        var writer = FrameWriter()
        writer.begin(news.rawValue)
        body(&writer)
        writer.end()
        return writer.bytes
    }

    /// The instance is there, keeps no state and decides about nothing.
    private static let ready = frame(.ready) {
        $0.put(0 as UInt8)
        $0.put(1 as UInt64)
        $0.put(0 as UInt8)
    }

    /// A checkpoint after so many orders, with counts of effects and an account.
    private static func checkpoint(
        _ orders: UInt64 = 0, effects: (UInt32, UInt32, UInt32) = (0, 0, 0), begun: [UInt64] = [],
        ended: [UInt64] = [], account: WorkerAccount? = WorkerAccount()
    ) -> [UInt8] {
        frame(.checkpoint) { frame in
            frame.put(orders)
            frame.put(0 as UInt8)
            for count in [effects.0, effects.1, effects.2] { frame.put(count) }
            frame.put((account == nil ? 0 : 1) as UInt8)
            account?.write(to: &frame)
            frame.put(UInt32(begun.count))
            for number in begun {
                frame.put(number)
                frame.put(1 as UInt64)
                frame.put(Value.null)
            }
            frame.put(UInt32(ended.count))
            for number in ended { frame.put(number) }
        }
    }

    /// An action that the instance has emitted.
    private static func output(_ line: String) -> [UInt8] {
        frame(.output) {
            $0.put(1 as UInt64)
            $0.put(0 as UInt8)
            $0.put(1 as UInt64)
            $0.put(Array(line.utf8))
        }
    }

    @Test func `what an honest worker tells is taken`() throws {
        var account = WorkerAccount()
        account.health = .failing("no room")
        account.numbers = [
            "sent": .count(3), "queue": .gauge(1.5), "asked": .time(count: 2, total: .seconds(1)),
        ]
        #expect(
            try Self.objection(
                to: Self.ready + Self.checkpoint() + Self.output(#"{"type":"a/done"}"#)
                    + Self.checkpoint(account: account)) == nil)
    }

    @Test func `an instance that was there and cannot be made again ends its process`() throws {
        let refused = Self.frame(.refused) { $0.put("it was removed") }
        let there = Self.ready + Self.checkpoint()
        #expect(try Self.objection(to: refused) == nil)
        #expect(try Self.objection(to: there + refused) == "does not begin again: it was removed")
        let misfit = Self.frame(.misfit) {
            $0.put(CodingFailure(pointer: .whole, expected: "a number", found: "\"x\""))
        }
        #expect(try Self.objection(to: misfit) == nil)
        #expect(
            try Self.objection(to: there + misfit)?.hasPrefix(
                "does not begin again: it does not take its settings: ")
                == true)
    }

    @Test(
        arguments: [
            (checkpoint(1), "a number of orders"),
            (checkpoint(.max), "a number of orders"),
            (checkpoint(effects: (1, 2, 0)), "a count of effects"),
            (checkpoint(effects: (.max, 0, 0)), "a count of effects"),
            (checkpoint(begun: [7, 7]), "an effect"),
            (checkpoint(ended: [7]), "an ended effect"),
            (output(#"{"type":"b/done"}"#), "an action"),
            (output(#"{"type":"#), "an action"),
            (output(""), "an action"),
            (
                frame(.copy) {
                    $0.put(9 as UInt64)
                    $0.put(Value.null)
                } + checkpoint(), "a number of a copy"
            ),
            (
                frame(.ready) {
                    $0.put(2 as UInt8)
                    $0.put(1 as UInt64)
                    $0.put(0 as UInt8)
                }, "a flag"
            ),
            (
                frame(.ready) {
                    $0.put(0 as UInt8)
                    $0.put(0 as UInt64)
                    $0.put(0 as UInt8)
                }, "a version"
            ),
            (frame(.report) { $0.put(99 as UInt8) }, "a kind of note"),
        ] as [([UInt8], String)])
    func `a number that no honest worker tells is named`(bytes: [UInt8], words: String) throws {
        let found = try #require(try Self.objection(to: Self.ready + bytes))
        #expect(found.contains(words), "\(found)")
    }

    @Test(arguments: [
        ("gauge", PluginStatus.Number.gauge(.nan)), ("gauge", .gauge(.infinity)),
        ("time", .time(count: 1, total: .seconds(-1))),
        ("", .count(1)), (String(repeating: "x", count: 65), .count(1)),
    ])
    func `a number of an instance that it could not have in the host is none`(
        name: String, number: PluginStatus.Number
    ) throws {
        var account = WorkerAccount()
        account.numbers = [name: number]
        #expect(try Self.objection(to: Self.ready + Self.checkpoint(account: account)) != nil)
    }

    @Test func `a message of an unknown kind, one that goes on, and one that is cut short are told`() throws {
        var unknown = FrameWriter()
        unknown.begin(200)
        unknown.end()
        #expect(try Self.objection(to: unknown.bytes) != nil)
        let long = Self.frame(.ready) {
            $0.put(0 as UInt8)
            $0.put(1 as UInt64)
            $0.put(0 as UInt8)
            $0.put(0 as UInt8)
        }
        #expect(try Self.objection(to: long) != nil)
        #expect(try Self.objection(to: Self.frame(.ready) { $0.put(0 as UInt8) }) != nil)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `no change of what a worker tells makes a host trap`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let honest =
            Self.ready + Self.checkpoint() + Self.output(#"{"type":"a/done","payload":[1,{"b":2}]}"#)
            + Self.frame(.source) { $0.put(ActionSource(file: "f", function: "g", line: 0, info: nil)) }
            + Self.frame(.restored) {
                $0.put(1 as UInt8)
                $0.put(["count": 3] as Value)
            } + Self.checkpoint()
        for _ in 0..<50 {
            var bytes = honest
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                default: bytes.remove(at: place)
                }
            }
            // Whether it is told depends on the change; that this returns is what counts.
            _ = try Self.objection(to: bytes)
        }
    }
}
