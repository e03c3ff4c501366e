// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
package import GatehouseSDK

/// An effect that an action has started and that can be interrupted, with all that it takes to begin it again.
package struct JournalEffect: Sendable {
    /// Its number among the effects; the same each time it is begun.
    package private(set) var number: UInt64
    /// The id of the instance that began it.
    package var instance: String
    /// The sequence of the action that started it; 0 where that is not known.
    package let sequence: UInt64
    /// Its place among the effects that the instance began in the pass of the action, from 0.
    package var ordinal: UInt32 = 0
    /// How often it has begun in another process, from 1.
    package var attempt: UInt32 = 1
    /// How many members of a cluster have ended while it was under way, without handing it over.
    package var ends: UInt32 = 0
    /// What becomes of it.
    package var recovery: EffectRecovery
    /// The number of the input that the action goes back to; 0 for none.
    package var input: UInt64
    /// The key that the effect was given.
    package let key: String
    /// The action, as interceptors have left it; nil where the journal has it under its sequence, and where it has no wire form.
    package var action: AnyAction?
    /// Where the action came from.
    package var source: ActionSource

    /// An effect that has begun, for the first time.
    package init(
        number: UInt64, instance: String, sequence: UInt64, recovery: EffectRecovery = .tell,
        input: UInt64 = 0, key: String, action: AnyAction? = nil,
        source: ActionSource = ActionSource(file: "", function: "", line: 0, info: nil)
    ) {
        self.number = number
        self.instance = instance
        self.sequence = sequence
        self.recovery = recovery
        self.input = input
        self.key = key
        self.action = action
        self.source = source
    }

    /// How often an effect is begun at most: one that has been interrupted so often will be again.
    package static let mostAttempts: UInt32 = 100
    /// With how many members of a cluster it ends at most: each of them had other partitions too, and no supervisor sees all of them.
    package static let mostEnds: UInt32 = 10
}

extension JournalEffect: Equatable {
    /// Whether they are written alike; encodes both actions.
    package static func == (one: JournalEffect, other: JournalEffect) -> Bool { one.value == other.value }
}

extension JournalEffect {
    /// The effect as it stands in a snapshot, and in a checkpoint of a partition.
    package var value: Value {
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
    package func over(_ known: JournalEffect?) -> JournalEffect {
        guard let known else { return self }
        var effect = self
        (effect.action, effect.source) = (known.action, known.source)
        return effect
    }

    /// The same under another number.
    package func numbered(_ number: UInt64) -> JournalEffect {
        var effect = self
        effect.number = number
        return effect
    }

    /// Reads an effect; nil for what is none. One of an older host, which says nothing of its recovery, is told.
    package init?(_ value: Value) {
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
        take(form, file: file, line: UInt(clamping: value["line"]?.wholeNumber ?? 0), emitter: emitter)
    }

    /// Takes the action that has started it, as the journal gives it back.
    package mutating func take(_ record: JournalRecord) {
        guard record.encodingFailure == nil else { return }
        take(
            try? JSONText.parse(record.bytes), file: record.file, line: record.line, emitter: record.instance)
    }

    /// Takes the action that has started it, in its wire form; nil and other values leave the effect without an action.
    private mutating func take(_ form: Value?, file: String, line: UInt, emitter: String?) {
        if let form, case .string(let name) = form["type"] {
            action = AnyAction(
                ActionType(name), payload: form["payload"], error: form["error"] == .bool(true),
                meta: form["meta"])
        }
        let place = ActionSource(file: file, function: "", line: line, info: emitter)
        source = emitter.map { place.emitted(by: $0) } ?? place
    }
}
