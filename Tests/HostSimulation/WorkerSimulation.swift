// SPDX-License-Identifier: Apache-2.0

import GatehousePlan
import GatehouseRuntime
import GatehouseSDK
import GatehouseSupport
import SeededTesting

/// The life of a worker's instance, from one process to the next: they die at any moment, what they tell comes late, and actions that may
/// have ended them are left out. The host dies too; the next one has the state after all actions, and shows those that had not come to
/// their end. A seed determines all of it.
///
/// The traffic of the host and the rings are the real ones, on the calling thread; what a journal would keep is in memory.
package struct WorkerSimulation: ~Copyable {
    /// A mistake that is planted, to see whether the simulation finds it.
    package enum Defect: Sendable {
        /// The host takes every second checkpoint for one that it has had.
        case lostCheckpoints
        /// A process begins without the state of the one before.
        case lostState
        /// A host shows nothing of what the one before has left.
        case lostActions
    }

    /// What goes to the worker.
    private var traffic = WorkerTraffic()
    /// The process that runs.
    private var worker: SimulatedWorker
    /// The source of chance.
    private var generator: SeededGenerator
    /// What is planted; nil for nothing.
    private let defect: Defect?
    /// The number of the last action.
    private var given: UInt64 = 0
    /// The number of the last action that is in the state with which the host began.
    private var replayed: UInt64 = 0
    /// The actions that were left out before they were heard.
    private var skipped: Set<UInt64> = []
    /// How often each action has come to its end.
    private var finished: [UInt64: Int] = [:]
    /// How many checkpoints the host has seen.
    private var checkpoints = 0

    /// Violations of what a worker promises.
    package private(set) var faults: [String] = []
    /// What has happened.
    package private(set) var coverage = HostCoverage()
    /// Tells each course of events from all others.
    package private(set) var digest: UInt64 = 0

    /// Where all actions come from.
    private static let place = ActionSource(file: "in", function: "", line: 1, info: nil)
    /// The names of what the instance begins.
    private static let keys = WorkerTraffic.Keys(name: "simulated", epoch: 1)

    /// An instance whose first process has begun.
    ///
    /// - Throws: that the system has no memory for a ring.
    package init(seed: UInt64, defect: Defect? = nil) throws {
        generator = SeededGenerator(seed: seed)
        self.defect = defect
        worker = try Self.attach(to: &traffic)
        traffic.keys = Self.keys
        var batch = OrderBatch()
        Self.start(&batch)
        traffic.kept.take(&batch)
    }

    /// Lets the instance start.
    private static func start(_ batch: inout OrderBatch) {
        batch.add(.start) { WorkerTraffic.write(keys, [], after: 0, to: &$0) }
    }

    /// Lets the instance live until everything is done that it was given; stops at the first fault.
    package mutating func run() throws {
        coverage.count("seeds, worker")
        for _ in 0..<Int.random(in: 50...600, using: &generator) where faults.isEmpty {
            try act()
            check()
        }
        try finish()
    }

    // MARK: - Processes

    /// Begins with another process.
    private static func attach(to traffic: inout WorkerTraffic) throws -> SimulatedWorker {
        let mine = try RingFile(named: "mine", capacity: 4_096)
        let its = try RingFile(named: "its", capacity: 4_096)
        let (own, workers) = (try RingMemory(own: mine), try RingMemory(own: its))
        let reader = RingReader(own: workers, other: try RingMemory(other: mine))
        traffic.attach(RingWriter(own: own, other: try RingMemory(other: its)))
        return SimulatedWorker(reader)
    }

    /// Lets the process die; another one goes on, perhaps without an action that may have ended it.
    private mutating func die() throws {
        // What it has told is there.
        while try take() {}
        traffic.detach()
        traffic.deaths += 1
        coverage.count("deaths of workers")
        if Int.random(in: 0..<3, using: &generator) == 0 { leaveOut() }
        if defect == .lostState { traffic.state = nil }
        worker = try Self.attach(to: &traffic)
        try traffic.flush()
    }

    /// Lets the host die, and with it the process and all that was told and not taken.
    private mutating func dieWithHost() throws {
        coverage.count("deaths of hosts of workers")
        traffic = WorkerTraffic()
        worker = try Self.attach(to: &traffic)
        traffic.keys = Self.keys
        replayed = given
        let heard = (0..<given).map { $0 + 1 }.filter { !skipped.contains($0) }
        let state = VersionedState(version: 1, value: .array(heard.map { .unsigned($0) }))
        traffic.addAhead(.restore) { $0.put(state) }
        traffic.state = state
        var batch = OrderBatch()
        Self.start(&batch)
        for number in (0..<given).map({ $0 + 1 }) where finished[number] == nil && defect != .lostActions {
            coverage.count("actions shown once more")
            batch.add(
                .show, AnyAction("heard"), under: "sim/heard", from: Self.place,
                as: Array(#"{"type":"heard"}"#.utf8), effect: number, sequence: number
            ) { frame in
                frame.put(number)
                frame.put("simulated-\(number)")
                frame.put(2 as UInt32)
                frame.put(0 as UInt8)
            }
        }
        traffic.kept.take(&batch)
        try traffic.flush()
    }

    /// Leaves an action out that was in hand, or whose effects had not ended.
    private mutating func leaveOut() {
        let kept = traffic.kept.actions.first?.sequence
        let open = traffic.effects.values.map(\.sequence).min()
        guard let sequence = Bool.random(using: &generator) ? kept : open,
            let left = traffic.leaveOut(sequence)
        else { return }
        if left.action.sequence != sequence {
            faults.append("action \(left.action.sequence) was left out in place of \(sequence)")
        }
        if sequence == kept, sequence > replayed {
            skipped.insert(sequence)
            coverage.count("actions left out by workers")
        } else {
            coverage.count("actions with effects left out by workers")
        }
        note(left.finished)
    }

    // MARK: - Steps

    /// Lets one thing happen.
    private mutating func act() throws {
        let choice = Int.random(in: 0..<100, using: &generator)
        digest = ((digest ^ UInt64(choice)) &* 0x100_0000_01b3) ^ given
        switch choice {
        case ..<20: try give(Int.random(in: 1...6, using: &generator))
        case ..<35: try worker.read(atMost: Int.random(in: 1...3_000, using: &generator))
        case ..<65: _ = worker.carryOut()
        case ..<75: worker.tell()
        case ..<83:
            let open = worker.effects.keys.filter { !worker.hasEnded($0) }.sorted()
            if let number = open.randomElement(using: &generator) { worker.end(effect: number) }
        case ..<93: _ = try take()
        case ..<95: try die()
        case 95: if Bool.random(using: &generator) { try dieWithHost() }
        default: try traffic.flush()
        }
    }

    /// Gives the worker some actions.
    private mutating func give(_ count: Int) throws {
        var batch = OrderBatch()
        for _ in 0..<count {
            given += 1
            let text = String(repeating: "x", count: Int.random(in: 0...300, using: &generator))
            let json = Array(#"{"type":"heard","payload":"\#(text)"}"#.utf8)
            unsafe json.withUnsafeBytes {
                unsafe batch.add(
                    hearing: "heard", under: "sim/heard", from: Self.place, as: $0, effect: given,
                    sequence: given, origin: (given, given, 0), at: 0)
            }
        }
        coverage.count("actions given to workers", UInt64(count))
        traffic.kept.take(&batch)
        try traffic.flush()
    }

    /// Takes the next checkpoint that was told; false where there is none.
    private mutating func take() throws -> Bool {
        guard !worker.told.isEmpty else { return false }
        let told = worker.told.removeFirst()
        checkpoints += 1
        if !worker.told.isEmpty { coverage.count("checkpoints that came late") }
        let result = try traffic.finish(told.orders, told.begun, told.ended)
        note(result.finished)
        // Before it has taken over the state of the one before, it has only that of a new instance.
        if told.orders >= traffic.preludeCount, defect != .lostCheckpoints || checkpoints % 2 == 0 {
            traffic.state = VersionedState(version: 1, value: .array(told.state.map { .unsigned($0) }))
        }
        return true
    }

    /// Takes note that actions have come to their end.
    private mutating func note(_ actions: [UInt64?]) {
        for case let number? in actions { finished[number, default: 0] += 1 }
    }

    /// Lets everything come to its end, and looks at what there is then.
    private mutating func finish() throws {
        while traffic.kept.count > 0 || !traffic.effects.isEmpty, faults.isEmpty {
            try traffic.flush()
            try worker.read(atMost: 1 << 16)
            while worker.carryOut() {}
            for number in worker.effects.keys.sorted() where !worker.hasEnded(number) {
                worker.end(effect: number)
            }
            worker.tell()
            while try take() {}
        }
        guard faults.isEmpty else { return }
        check()
        if state.last ?? 0 < (1...max(1, given)).last(where: { !skipped.contains($0) && given > 0 }) ?? 0 {
            faults.append("the worker has heard \(state.count) of \(given) actions")
        }
        let twice = finished.filter { $0.value > 1 }.keys.sorted()
        if !twice.isEmpty { faults.append("the actions \(twice) came to their end more than once") }
        if finished.count != given {
            faults.append("\(finished.count) of \(given) actions came to their end")
        }
        if !traffic.unfinished.isEmpty { faults.append("\(traffic.unfinished.count) actions are unfinished") }
    }

    // MARK: - What must hold

    /// The actions that the state at the last checkpoint contains.
    private var state: [UInt64] {
        guard case .array(let values)? = traffic.state?.value else { return [] }
        return values.compactMap { $0.intValue.map(UInt64.init) }
    }

    /// Looks whether the state has each action up to one, once and in order, but for those that were left out.
    private mutating func check() {
        let state = state
        guard let last = state.last else { return }
        let expected = (1...last).filter { !skipped.contains($0) }
        guard state != expected else { return }
        let place = zip(state, expected).prefix { $0 == $1 }.count
        faults.append(
            "behind \(place) actions the worker's state has \(state.dropFirst(place).prefix(3)), and must have \(expected.dropFirst(place).prefix(3))"
        )
    }
}
