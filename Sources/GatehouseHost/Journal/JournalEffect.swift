// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// An effect that an action has started and that can be interrupted, with all that it takes to begin it again.
struct JournalEffect: Sendable {
    /// Its number among the effects; the same each time it is begun.
    private(set) var number: UInt64
    /// The id of the instance that began it.
    var instance: String
    /// The sequence of the action that started it; 0 where that is not known.
    let sequence: UInt64
    /// Its place among the effects that the instance began in the pass of the action, from 0.
    var ordinal: UInt32 = 0
    /// How often it has begun in another process, from 1.
    var attempt: UInt32 = 1
    /// How many members of a cluster have ended while it was under way, without handing it over.
    var ends: UInt32 = 0
    /// What becomes of it.
    var recovery = EffectRecovery.tell
    /// The number of the input that the action goes back to; 0 for none.
    var input: UInt64 = 0
    /// The key that the effect was given.
    let key: String
    /// The action, as interceptors have left it; nil where the journal has it under its sequence, and where it has no wire form.
    var action: AnyAction?
    /// Where the action came from.
    var source = ActionSource(file: "", function: "", line: 0, info: nil)

    /// How often an effect is begun at most: one that has been interrupted so often will be again.
    static let mostAttempts: UInt32 = 100
    /// With how many members of a cluster it ends at most: each of them had other partitions too, and no supervisor sees all of them.
    static let mostEnds: UInt32 = 10
}

extension JournalEffect: Equatable {
    /// Whether they are written alike; encodes both actions.
    static func == (one: JournalEffect, other: JournalEffect) -> Bool { one.value == other.value }
}

extension JournalEffect {
    /// The effect as it stands in a snapshot, and in a checkpoint of a partition.
    var value: Value {
        var members: Members = [
            "number": .unsigned(number), "instance": .string(instance), "sequence": .unsigned(sequence),
            "key": .string(key), "ordinal": .unsigned(UInt64(ordinal)), "attempt": .unsigned(UInt64(attempt)),
            "recovery": .string(recovery.rawValue),
        ]
        if input > 0 { members["input"] = .unsigned(input) }
        if ends > 0 { members["ends"] = .unsigned(UInt64(ends)) }
        if let form = action.flatMap({ try? $0.wireForm() }) {
            members["action"] = form
            members["file"] = .string(source.file)
            members["line"] = .unsigned(UInt64(source.line))
            members["emitter"] = source.emitter.map(Value.string)
        }
        return .object(members)
    }

    /// The same where it is written again over a record of itself, which has its action; nil for none.
    func over(_ known: JournalEffect?) -> JournalEffect {
        guard let known else { return self }
        var effect = self
        (effect.action, effect.source) = (known.action, known.source)
        return effect
    }

    /// The same under another number.
    func numbered(_ number: UInt64) -> JournalEffect {
        var effect = self
        effect.number = number
        return effect
    }

    /// Reads an effect; nil for what is none. One of an older host, which says nothing of its recovery, is told.
    init?(_ value: Value) {
        guard case .string(let instance) = value["instance"], case .string(let key) = value["key"],
            let sequence = (value["sequence"] ?? value["action"])?.wholeNumber
        else { return nil }
        self.init(
            number: min(value["number"]?.wholeNumber ?? 0, 1 << 63), instance: instance, sequence: sequence,
            key: key)
        ordinal = UInt32(clamping: value["ordinal"]?.wholeNumber ?? 0)
        attempt = UInt32(min(value["attempt"]?.wholeNumber ?? 1, 1 << 30))
        ends = UInt32(min(value["ends"]?.wholeNumber ?? 0, 1 << 30))
        if case .string(let word) = value["recovery"] { recovery = EffectRecovery(rawValue: word) ?? .tell }
        input = value["input"]?.wholeNumber ?? 0
        guard let form = value["action"] else { return }
        guard case .string(let file) = value["file"] else { return }
        var emitter: String?
        if case .string(let id) = value["emitter"] { emitter = id }
        take(
            form.json(), file: file, line: UInt(clamping: value["line"]?.wholeNumber ?? 0),
            emitter: emitter)
    }

    /// Takes the action that has started it, as the journal gives it back.
    mutating func take(_ record: JournalRecord) {
        guard record.misfit == nil else { return }
        take(
            String(decoding: record.bytes, as: UTF8.self), file: record.file, line: record.line,
            emitter: record.instance)
    }

    /// Takes the action that has started it, in its wire form.
    private mutating func take(_ line: String, file: String, line number: UInt, emitter: String?) {
        var lines = RecordedLines()
        action = lines.action(Array(line.utf8))
        let place = ActionSource(file: file, function: "", line: number, info: emitter)
        source = emitter.map { place.emitted(by: $0) } ?? place
    }
}
