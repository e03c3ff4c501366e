// SPDX-License-Identifier: Apache-2.0

import GatehouseRuntime
import GatehouseSDK
import GatehouseSupport

/// One process of a worker, as far as its host sees it: it reads orders from the ring, carries them out and tells checkpoints, each when it
/// is told to. What it has not told goes with it.
final class SimulatedWorker {
    /// What a checkpoint tells.
    struct Checkpoint {
        /// How many orders are carried out, those that are for this process alone included.
        var orders: UInt64
        /// The state: the numbers of the actions that were heard.
        var state: [UInt64]
        /// The effects that have begun, or begun again, and those that have ended.
        var begun: [(number: UInt64, sequence: UInt64, value: Value)]
        var ended: [UInt64]
    }

    /// The orders that were read and not carried out.
    private enum Order {
        case hear(UInt64)
        case show(UInt64)
        case restore([UInt64])
        case start(after: UInt64, effects: [(number: UInt64, sequence: UInt64)])
        case careful(UInt64)
        case other
    }

    /// Reads what the host writes.
    private var reader: RingReader
    /// Cuts it into orders.
    private var frames = FrameReader(limit: 1 << 20)
    /// What is to be carried out.
    private var orders: [Order] = []
    /// How many orders are carried out.
    private var done: UInt64 = 0
    /// The actions that were heard.
    private var state: [UInt64] = []
    /// How many orders are to be told of one by one.
    private var careful: UInt64 = 0
    /// The effects that have not ended, by number, with their actions.
    private(set) var effects: [UInt64: UInt64] = [:]
    /// The number of the last effect.
    private var lastEffect: UInt64 = 0
    /// What the next checkpoint tells of effects.
    private var (begun, ended): ([UInt64], [UInt64]) = ([], [])
    /// What was told and the host has not taken.
    var told: [Checkpoint] = []

    /// A process at the end of a ring.
    init(_ reader: consuming RingReader) { self.reader = reader }

    /// Reads so many bytes at most.
    func read(atMost count: Int) throws {
        _ = try frames.read(&reader, atMost: count) { frame in
            switch WorkerOrder(rawValue: frame.kind) {
            case .hear: orders.append(.hear(try frame.number()))
            case .show: orders.append(.show(try frame.number()))
            case .restore:
                _ = try frame.number(UInt64.self)
                orders.append(.restore(try frame.value().numbers))
            case .start:
                (_, _) = (try frame.text(), try frame.number(UInt64.self))
                let last = try frame.number(UInt64.self)
                var effects: [(UInt64, UInt64)] = []
                for _ in 0..<(try frame.number(UInt32.self)) {
                    let numbers = try frame.value().numbers
                    effects.append((numbers[0], numbers[1]))
                }
                orders.append(.start(after: last, effects: effects))
            case .careful: orders.append(.careful(try frame.number()))
            default: orders.append(.other)
            }
        }
    }

    /// Carries out the next order; false where there is none.
    func carryOut() -> Bool {
        guard !orders.isEmpty else { return false }
        let order = orders.removeFirst()
        done += 1
        switch order {
        case .hear(let sequence):
            state.append(sequence)
            begin(after: sequence)
        case .show(let sequence): begin(after: sequence)
        case .restore(let state): self.state = state
        case .start(let last, let again):
            lastEffect = max(lastEffect, last)
            for (number, sequence) in again {
                effects[number] = sequence
                begun.append(number)
            }
        case .careful(let count): careful = count
        case .other: break
        }
        if case .careful = order { return true }
        if careful > 0 {
            careful -= 1
            tell()
        }
        return true
    }

    /// Begins the effects of an action, none of which is known.
    private func begin(after sequence: UInt64) {
        for _ in 0..<(sequence % 3) {
            lastEffect += 1
            effects[lastEffect] = sequence
            begun.append(lastEffect)
        }
    }

    /// Ends an effect; the next checkpoint tells it.
    func end(effect number: UInt64) {
        ended.append(number)
    }

    /// Tells a checkpoint.
    func tell() {
        told.append(
            Checkpoint(
                orders: done, state: state,
                begun: begun.compactMap { number in
                    effects[number].map { ($0, number) }.map { sequence, number in
                        (number, sequence, [.unsigned(number), .unsigned(sequence)])
                    }
                }, ended: ended))
        for number in ended { effects[number] = nil }
        (begun, ended) = ([], [])
    }

    /// Whether all that has ended was told.
    func hasEnded(_ number: UInt64) -> Bool { ended.contains(number) }
}

extension Value {
    /// The whole numbers of an array.
    fileprivate var numbers: [UInt64] {
        guard case .array(let values) = self else { return [] }
        return values.compactMap { $0.intValue.map(UInt64.init) }
    }
}
