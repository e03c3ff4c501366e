// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseSQLite
import SeededTesting

@testable import GatehouseJournal

/// Random batches as a drain hands them over, and what a journal must give back.
struct JournalHistory {
    /// The source of chance.
    var generator: SeededGenerator
    /// The number of the next input.
    var nextInput: UInt64 = 1
    /// The sequence of the next action.
    var nextSequence: UInt64 = 1
    /// The number of the next effect.
    var nextEffect: UInt64 = 1
    /// The inputs that are not done.
    var open: [JournalInputRecord] = []
    /// The effects that are running.
    var running: [JournalEffect] = []
    /// What the reducers have seen; epoch and times of batches are not known here, and 0.
    var records: [JournalRecord] = []

    /// A history that has not begun.
    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// A batch of some inputs, and of actions that they and others lead to.
    ///
    /// - Parameters:
    ///   - inputs: how many inputs come in.
    ///   - passes: how many open inputs are dispatched and done.
    mutating func batch(inputs: Int, passes: Int, generation: Int = 1) -> JournalBatch {
        var batch = JournalBatch(generation: generation, firstSequence: nextSequence)
        for _ in 0..<inputs { batch.inputs.append(makeInput()) }
        for _ in 0..<min(passes, open.count) { pass(into: &batch) }
        return batch
    }

    /// An input that is accepted.
    private mutating func makeInput() -> JournalInput {
        let line = UInt.random(in: 1...100_000, using: &generator)
        let file = ["orders.ndjson", "unix:/run/in.sock", "ü"].randomElement(using: &generator) ?? ""
        let text =
            #"{"type":"orders/placed","payload":{"id":\#(nextInput),"by":"\#(String(repeating: "x", count: Int.random(in: 0...200, using: &generator)))"}}"#
        let id = Bool.random(using: &generator) ? "id-\(nextInput)" : nil
        let source = ActionSource(file: file, function: "", line: line, info: nil)
        open.append(
            JournalInputRecord(
                number: nextInput, file: file, line: line, instance: nil, id: id, bytes: Array(text.utf8),
                encodingFailure: nil))
        defer { nextInput += 1 }
        return JournalInput(number: nextInput, source: source, line: Array(text.utf8), id: id)
    }

    /// Dispatches an open input: it reaches the reducers as it is, changed or not at all, and others follow.
    private mutating func pass(into batch: inout JournalBatch) {
        let input = open.remove(at: Int.random(in: 0..<min(3, open.count), using: &generator))
        let source = ActionSource(file: input.file, function: "", line: input.line, info: nil)
            .caused(by: ActionCause(.input, input.number))
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: break
        case 1:
            add(Self.action("orders/changed", Int64(input.number)), source, .input(input.number), to: &batch)
        default: add(nil, source, .input(input.number), bytes: input.bytes, to: &batch)
        }
        for _ in 0..<Int.random(in: 0...2, using: &generator) { addConsequence(of: input, to: &batch) }
        if Bool.random(using: &generator) {
            var effect = JournalEffect(
                number: nextEffect, instance: "sync", sequence: nextSequence - 1, recovery: .again,
                input: input.number, key: "1-\(nextEffect)-sync")
            effect.ordinal = UInt32(nextEffect % 3)
            if let record = records.last { effect.take(record) }
            nextEffect += 1
            batch.begun.append(effect)
            running.append(effect)
        }
        if !running.isEmpty, Bool.random(using: &generator) {
            batch.ended.append(
                running.remove(at: Int.random(in: 0..<running.count, using: &generator)).number)
        }
        batch.done.append(input.number)
    }

    /// An action that an instance emits.
    private mutating func addConsequence(of input: JournalInputRecord, to batch: inout JournalBatch) {
        let instance = ["counter", "sync", nil].randomElement(using: &generator) ?? nil
        let earlier = nextSequence > 1 ? UInt64.random(in: 1..<nextSequence, using: &generator) : 0
        let (kind, cause): (ActionCause.Kind, JournalCause) =
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: (.output, .output(of: earlier == 0 ? nil : earlier))
            case 1: (.effect, .effect(of: earlier == 0 ? nil : earlier))
            case 2: (.own, .own(of: earlier == 0 ? nil : earlier))
            case 3: (.interception, .interception(of: input.number))
            default: (.unknown, .unknown)
            }
        let source = ActionSource(
            file: input.file, function: "handle", line: input.line, info: instance
        ).caused(by: ActionCause(kind, kind == .interception ? input.number : earlier))
        add(Self.action("orders/counted", Int64(nextSequence)), source, cause, to: &batch)
    }

    /// Adds an entry, and what a journal gives back for it.
    private mutating func add(
        _ action: AnyAction?, _ source: ActionSource, _ cause: JournalCause, bytes: [UInt8] = [],
        to batch: inout JournalBatch
    ) {
        let time = Bool.random(using: &generator) ? Double.random(in: 0...2e9, using: &generator) : nil
        batch.entries.append(JournalEntry(action: action, source: source, time: time))
        records.append(
            JournalRecord(
                sequence: nextSequence, epoch: 0, generation: batch.generation, batchTime: 0, cause: cause,
                file: source.file, line: source.line, instance: source.info, time: time,
                bytes: action.map { Self.bytes(of: $0) } ?? bytes, encodingFailure: nil))
        nextSequence += 1
    }

    /// An action that is made in memory.
    static func action(_ type: String, _ number: Int64) -> AnyAction {
        AnyAction(ActionType(type), payload: ["number": .integer(number)])
    }

    /// The wire form of an action.
    static func bytes(of action: AnyAction) -> [UInt8] {
        var bytes: [UInt8] = []
        do { try action.writeWireForm(to: &bytes) } catch { bytes = Array("\(error)".utf8) }
        return bytes
    }
}

extension JournalReader {
    /// Everything from one sequence to another, at once.
    func items(from first: UInt64 = 0, to last: UInt64 = .max) throws -> [JournalCursor.Item] {
        let cursor = records(from: first, to: last)
        var items: [JournalCursor.Item] = []
        while let item = try cursor.next() { items.append(item) }
        return items
    }

    /// The records from one sequence to another, without what a history does not know.
    func plainRecords(from first: UInt64 = 0, to last: UInt64 = .max) throws -> [JournalRecord] {
        try items(from: first, to: last).compactMap { item in
            guard case .record(let record) = item else { return nil }
            return JournalRecord(
                sequence: record.sequence, epoch: 0, generation: record.generation, batchTime: 0,
                cause: record.cause, file: record.file, line: record.line, instance: record.instance,
                time: record.time, bytes: record.bytes, encodingFailure: record.encodingFailure)
        }
    }
}

extension JournalEffect {
    /// The effect as a batch has it, whose action has an entry of its own.
    var withoutAction: JournalEffect {
        var effect = JournalEffect(
            number: number, instance: instance, sequence: sequence, recovery: recovery, input: input, key: key
        )
        (effect.ordinal, effect.attempt) = (ordinal, attempt)
        return effect
    }
}
