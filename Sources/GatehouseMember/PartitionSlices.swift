// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK

/// The state of a partition as the slices of its checkpoints.
///
/// | slice | holds |
/// |---|---|
/// | `plain` | the state that no instance owns, and the configured state |
/// | `instance:ID` | the state, version and gate of an instance |
/// | `change:NUMBER:ID` | what has changed of that since, in the order of the numbers |
/// | `book` | the position of each source, and the number of the last input |
/// | `inputs` | actions that an interceptor holds |
/// | `effects` | running effects |
/// | `ids:TIME.NUMBER.TIME` | the writers' ids of actions |
enum PartitionSlices {
    /// Returns the name of an instance's slice.
    static func name(of instance: String) -> String { instancePrefix + instance }
    /// The prefix of instances' slices.
    static let instancePrefix = "instance:"
    /// Returns the name of a slice with a change of an instance.
    static func name(ofChange number: Int, of instance: String) -> String {
        "\(changePrefix)\(number):\(instance)"
    }
    /// The prefix of slices with changes.
    static let changePrefix = "change:"
    /// The name of the slice with the rest of the state.
    static let plain = "plain"
    /// The name of the slice with the sources.
    static let book = "book"
    /// The name of the slice with held actions.
    static let inputs = "inputs"
    /// The name of the slice with running effects.
    static let effects = "effects"

    /// The content of slices other than the states of instances.
    struct RecordedLog {
        /// The position of each source.
        var seen = SeenOrigins()
        /// The number of the last input.
        var inputs: UInt64 = 0
        /// Held actions, with their numbers.
        var held: [(number: UInt64, action: [UInt8])] = []
        /// The effects that were running.
        var effects: [JournalEffect] = []
    }

    /// Encodes a value.
    static func bytes(_ value: Value) -> [UInt8] {
        var bytes: [UInt8] = []
        value.writeJSON(to: &bytes)
        return bytes
    }

    // MARK: - The state

    /// Returns the state of a partition; nil without one.
    ///
    /// - Throws: the slice that no host writes, and what was expected there.
    static func saved(_ slices: [String: [UInt8]]) throws(CodingFailure) -> SavedState? {
        guard let plain = slices[plain], case .object(var whole) = try value(plain, of: Self.plain) else {
            return nil
        }
        var instances: [String: Value] = [:]
        for (name, bytes) in slices where name.hasPrefix(instancePrefix) {
            instances[name] = try value(bytes, of: name)
        }
        try apply(changesIn: slices, to: &instances)
        whole["instances"] = .object(
            Members(
                instances.sorted { $0.key < $1.key }
                    .map { (String($0.key.dropFirst(instancePrefix.count)), $0.value) }))
        return try SavedState(.object(whole))
    }

    /// Returns the number and the instance of a slice with a change; nil for any other slice.
    static func change(named name: String) -> (number: Int, instance: String)? {
        guard name.hasPrefix(changePrefix) else { return nil }
        let parts = name.dropFirst(changePrefix.count).split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int(parts[0]), number > 0 else { return nil }
        return (number, String(parts[1]))
    }

    /// Applies all changes of instances to the values of their slices, by name.
    ///
    /// - Throws: the slice that no host writes, and what was expected there.
    static func apply(changesIn slices: [String: [UInt8]], to values: inout [String: Value])
        throws(CodingFailure)
    {
        let changes = slices.keys.compactMap { name in change(named: name).map { (name: name, of: $0) } }
        for (name, of) in changes.sorted(by: { $0.of.number < $1.of.number }) {
            guard let bytes = slices[name], let old = values[Self.name(of: of.instance)] else {
                throw failure(name, "a change of nothing")
            }
            let change = ValueChange(try value(bytes, of: name))
            do {
                values[Self.name(of: of.instance)] = try change.applied(to: old)
            } catch {
                throw failure(name, error.found)
            }
        }
    }

    /// Parses a slice.
    private static func value(_ bytes: [UInt8], of name: String) throws(CodingFailure) -> Value {
        do {
            return try JSONText.parse(bytes)
        } catch {
            throw failure(name, "\(error.reason)")
        }
    }

    /// Creates the failure for a slice that no host writes.
    private static func failure(_ name: String, _ found: String) -> CodingFailure {
        CodingFailure(
            pointer: JSONPointer(tokens: [name]), expected: "what a host writes there", found: found)
    }

    // MARK: - What is under way

    /// Reads the other slices.
    ///
    /// - Throws: the slice that no host writes, and what was expected there.
    static func recordedLog(_ slices: [String: [UInt8]]) throws(CodingFailure) -> RecordedLog {
        var recordedLog = RecordedLog()
        if let bytes = slices[Self.book] {
            let value = try value(bytes, of: Self.book)
            guard let seen = SeenOrigins(value["seen"]), let inputs = Self.number(value["inputs"]) else {
                throw failure(Self.book, value.kindName)
            }
            (recordedLog.seen, recordedLog.inputs) = (seen, inputs)
        }
        for entry in try elements(of: Self.inputs, in: slices) {
            guard let number = Self.number(entry["number"]), case .string(let action) = entry["action"]
            else { throw failure(Self.inputs, entry.kindName) }
            recordedLog.held.append((number, Array(action.utf8)))
        }
        for entry in try elements(of: Self.effects, in: slices) {
            guard let effect = JournalEffect(entry) else { throw failure(Self.effects, entry.kindName) }
            recordedLog.effects.append(effect)
        }
        return recordedLog
    }

    /// Returns the number of an input; nil for anything else, and for a number that no host gives.
    private static func number(_ value: Value?) -> UInt64? {
        value?.wholeNumber.flatMap { $0 <= JournalNumbers.limit ? $0 : nil }
    }

    /// Returns the elements of a slice; none without it, or when it is no array.
    private static func elements(
        of name: String, in slices: [String: [UInt8]]
    ) throws(CodingFailure) -> [Value] {
        guard let bytes = slices[name] else { return [] }
        return try value(bytes, of: name).arrayValue ?? []
    }

    /// Writes the slice of the sources.
    static func write(_ seen: SeenOrigins, inputs: UInt64) -> [UInt8] {
        bytes(["inputs": .integer(Int64(clamping: inputs)), "seen": seen.value])
    }

    /// Writes the slice of held actions.
    ///
    /// - Throws: when one of them has no wire form.
    static func write(_ held: [CheckpointLog.OpenInput]) throws(CodingFailure) -> [UInt8] {
        var values: [Value] = []
        for input in held {
            var line: [UInt8] = []
            try input.action.writeWireForm(to: &line)
            values.append([
                "number": .integer(Int64(clamping: input.number)),
                "action": .string(String(decoding: line, as: UTF8.self)),
            ])
        }
        return bytes(.array(values))
    }

    /// Writes the slice of running effects.
    ///
    /// - Parameter areHandedOver: whether the member releases them; otherwise a later owner finds that it has ended.
    static func write(_ effects: [JournalEffect], areHandedOver: Bool) -> [UInt8] {
        bytes(
            .array(
                effects.map { effect in
                    var effect = effect
                    if !areHandedOver { effect.ends += 1 }
                    return effect.value
                }))
    }
}
