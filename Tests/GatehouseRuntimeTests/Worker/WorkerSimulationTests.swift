// SPDX-License-Identifier: Apache-2.0

import GatehousePlan
import GatehouseSDK
import SeededTesting
import Testing

@testable import GatehouseRuntime
@testable import GatehouseSupport

/// The protocol between a host and a worker over real rings, without processes and threads: workers die at any moment, what they told
/// comes late, and actions that may have ended them are left out; a seed determines all of it.
@Suite(.timeLimit(.minutes(10))) struct WorkerSimulationTests {
    /// A host of one worker after the other.
    private struct Host: ~Copyable {
        /// What goes to the worker.
        var traffic = WorkerTraffic()
        /// The process that runs.
        var worker: SimulatedWorker
        /// The source of chance.
        var random: SeededGenerator
        /// The number of the last action.
        var given: UInt64 = 0
        /// The actions that were left out before they were heard.
        var skipped: Set<UInt64> = []
        /// How often each action has come to its end.
        var finished: [UInt64: Int] = [:]
        /// How many workers have died, and how many actions with effects were left out.
        var (deaths, abandoned) = (0, 0)

        /// A host whose first worker has begun.
        init(seed: UInt64) throws {
            random = SeededGenerator(seed: seed)
            worker = try Self.attach(to: &traffic)
            traffic.keys = WorkerTraffic.Keys(name: "n", epoch: 1)
            var batch = OrderBatch()
            batch.add(.start) {
                WorkerTraffic.write(WorkerTraffic.Keys(name: "n", epoch: 1), [], after: 0, to: &$0)
            }
            traffic.kept.take(&batch)
        }

        /// Begins with another process.
        static func attach(to traffic: inout WorkerTraffic) throws -> SimulatedWorker {
            let mine = try RingFile(named: "mine", capacity: 4_096)
            let its = try RingFile(named: "its", capacity: 4_096)
            let (own, workers) = (try RingMemory(own: mine), try RingMemory(own: its))
            let reader = RingReader(own: workers, other: try RingMemory(other: mine))
            traffic.attach(RingWriter(own: own, other: try RingMemory(other: its)))
            return SimulatedWorker(reader)
        }

        /// Gives the worker some actions.
        mutating func give(_ count: Int) throws {
            var batch = OrderBatch()
            let place = ActionSource(file: "in", function: "", line: 1, info: nil)
            for _ in 0..<count {
                given += 1
                let text = String(repeating: "x", count: Int.random(in: 0...300, using: &random))
                let json = Array(#"{"type":"heard","payload":"\#(text)"}"#.utf8)
                unsafe json.withUnsafeBytes {
                    unsafe batch.add(
                        hearing: "heard", under: "sim/heard", from: place, as: $0, effect: given,
                        sequence: given, origin: (given, given, 0), at: 0)
                }
            }
            traffic.kept.take(&batch)
            try traffic.flush()
        }

        /// Takes the next checkpoint that was told; false where there is none.
        mutating func take() throws -> Bool {
            guard !worker.told.isEmpty else { return false }
            let told = worker.told.removeFirst()
            let result = try traffic.finish(told.orders, told.begun, told.ended)
            for logged in result.finished { if let logged { finished[logged, default: 0] += 1 } }
            // Before it has taken over the state of the one before, it has only that of a new instance.
            if told.orders >= traffic.preludeCount {
                traffic.state = VersionedState(version: 1, value: .array(told.state.map { .unsigned($0) }))
            }
            return true
        }

        /// Lets the worker die; another one goes on, perhaps without an action that may have ended it.
        mutating func die() throws {
            // What it has told is there.
            while try take() {}
            traffic.detach()
            traffic.deaths += 1
            deaths += 1
            if Int.random(in: 0..<3, using: &random) == 0 {
                let kept = traffic.kept.actions.first?.sequence
                let open = traffic.effects.values.map(\.sequence).min()
                if let sequence = Bool.random(using: &random) ? kept : open,
                    let left = traffic.leaveOut(sequence)
                {
                    #expect(left.action.sequence == sequence)
                    if sequence == kept { skipped.insert(sequence) } else { abandoned += 1 }
                    for logged in left.finished { if let logged { finished[logged, default: 0] += 1 } }
                }
            }
            worker = try Self.attach(to: &traffic)
            try traffic.flush()
        }

        /// The actions that the state at the last checkpoint contains.
        var state: [UInt64] {
            guard case .array(let values)? = traffic.state?.value else { return [] }
            return values.compactMap { $0.intValue.map(UInt64.init) }
        }

        /// Lets one thing happen.
        mutating func act() throws {
            switch Int.random(in: 0..<100, using: &random) {
            case ..<20: try give(Int.random(in: 1...6, using: &random))
            case ..<35: try worker.read(atMost: Int.random(in: 1...3_000, using: &random))
            case ..<65: _ = worker.carryOut()
            case ..<75: worker.tell()
            case ..<83:
                let open = worker.effects.keys.filter { !worker.hasEnded($0) }.sorted()
                if let number = open.randomElement(using: &random) { worker.end(effect: number) }
            case ..<93: _ = try take()
            case ..<95: try die()
            default: try traffic.flush()
            }
        }

        /// Lets everything come to its end.
        mutating func finish() throws {
            while traffic.kept.count > 0 || !traffic.effects.isEmpty {
                try traffic.flush()
                try worker.read(atMost: 1 << 16)
                while worker.carryOut() {}
                for number in worker.effects.keys.sorted() where !worker.hasEnded(number) {
                    worker.end(effect: number)
                }
                worker.tell()
                while try take() {}
            }
        }
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `however workers die, each action is heard once and in order, and comes to its end once`(
        seed: UInt64
    ) throws {
        var host = try Host(seed: seed)
        for _ in 0..<400 {
            try host.act()
            let state = host.state
            let skipped = host.skipped
            try #require(
                state == (1...(state.last ?? 1)).filter { !skipped.contains($0) && !state.isEmpty },
                "seed \(seed)")
        }
        try host.finish()
        let (state, skipped, given) = (host.state, host.skipped, host.given)
        #expect(state == (1...max(1, given)).filter { !skipped.contains($0) && given > 0 }, "seed \(seed)")
        let finished = host.finished
        #expect(finished.count == Int(given) && finished.values.allSatisfy { $0 == 1 }, "seed \(seed)")
        let unfinished = host.traffic.unfinished.count
        #expect(unfinished == 0, "seed \(seed)")
    }

    @Test func `the simulation meets deaths, actions left out and effects left over`() throws {
        var (deaths, skipped, abandoned) = (0, 0, 0)
        for seed in 1...200 as ClosedRange<UInt64> {
            var host = try Host(seed: seed)
            for _ in 0..<400 { try host.act() }
            deaths += host.deaths
            skipped += host.skipped.count
            abandoned += host.abandoned
        }
        #expect(deaths > 1_000)
        #expect(skipped > 100)
        #expect(abandoned > 100)
    }
}
