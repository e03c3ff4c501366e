// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseSDK

/// The consequences of a few actions in a row, as bytes: those of two sides are compared without a value in between.
///
/// Its memory is used again for the next ones, so that filling it does not look like memory that a plugin keeps.
struct ConsequenceLog: Sendable {
    /// One consequence.
    private struct Entry {
        /// The number in the journal; nil for an action that was not recorded.
        var sequence: UInt64?
        /// The type.
        let type: ActionType
        /// The emitting instance; nil where there is none.
        let instance: String?
        /// Where its wire form ends.
        let end: Int
    }

    /// The wire forms, one after the other.
    private var bytes: [UInt8] = []
    /// The consequences, in order.
    private var entries: [Entry] = []
    /// For each finished action, where its consequences end, and how many effects began.
    private var steps: [(end: Int, effects: Int)] = []

    /// Creates an empty log with room for the consequences of many actions.
    init() {
        bytes.reserveCapacity(1 << 20)
        entries.reserveCapacity(1 << 13)
        steps.reserveCapacity(1 << 11)
    }

    /// The number of consequences.
    var count: Int { entries.count }

    /// Forgets everything, and keeps the memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        steps.removeAll(keepingCapacity: true)
    }

    // MARK: - Filling

    /// The number of consequences of the action that is not finished.
    var open: Int { entries.count - (steps.last?.end ?? 0) }

    /// Appends a consequence; of one that has no wire form the type alone.
    mutating func append(_ action: AnyAction, by instance: String?) {
        if (try? action.writeWireForm(to: &bytes)) == nil {
            bytes += Value.object(["type": .string(action.type.name)]).json().utf8
        }
        entries.append(Entry(type: action.type, instance: instance, end: bytes.count))
    }

    /// Appends a consequence as it was recorded.
    mutating func append(_ record: JournalRecord) {
        bytes += record.bytes
        entries.append(
            Entry(
                sequence: record.sequence, type: ActionType(record.type), instance: record.instance,
                end: bytes.count))
    }

    /// Ends the consequences of an action.
    mutating func finish(effects: Int = 0) { steps.append((entries.count, effects)) }

    // MARK: - Reading

    /// The places of the consequences of an action, by its place in the row.
    private func part(_ step: Int) -> Range<Int> { (step == 0 ? 0 : steps[step - 1].end)..<steps[step].end }

    /// The wire form of a consequence.
    private func text(_ place: Int) -> ArraySlice<UInt8> {
        bytes[(place == 0 ? 0 : entries[place - 1].end)..<entries[place].end]
    }

    /// The places of the wire forms of some consequences in a row.
    private func text(of part: Range<Int>) -> Range<Int> {
        let start = part.lowerBound == 0 ? 0 : entries[part.lowerBound - 1].end
        return start..<(part.isEmpty ? start : entries[part.upperBound - 1].end)
    }

    /// The number of effects that an action began.
    func effects(of step: Int) -> Int { steps[step].effects }

    /// The number of consequences of an action.
    func count(of step: Int) -> Int { part(step).count }

    /// Whether an action had the same consequences on another side, byte by byte; others may still be equal as values.
    func isSame(_ step: Int, as other: ConsequenceLog) -> Bool {
        let (own, others) = (part(step), other.part(step))
        guard own.count == others.count else { return false }
        let (text, otherText) = (text(of: own), other.text(of: others))
        for (one, another) in zip(own, others) {
            guard entries[one].type == other.entries[another].type,
                entries[one].instance == other.entries[another].instance,
                entries[one].end - text.lowerBound == other.entries[another].end - otherText.lowerBound
            else { return false }
        }
        return bytes[text] == other.bytes[otherText]
    }

    /// The mismatches between the consequences of an action and those with a candidate, in order; equal values in other bytes are none.
    func mismatches(of step: Int, with candidate: ConsequenceLog) -> [TrialMismatch] {
        TrialMismatch.between(
            part(step), candidate.part(step), typeBefore: { entries[$0].type },
            typeNow: { candidate.entries[$0].type },
            areSame: { isSame($0, as: $1, in: candidate) })
    }

    /// Whether a consequence is equal to another one as a value.
    private func isSame(_ place: Int, as other: Int, in log: ConsequenceLog) -> Bool {
        let (own, others) = (text(place), log.text(other))
        if own == others { return true }
        if entries[place].type != log.entries[other].type { return false }
        if WireFormContrast(one: own, other: others).isSure { return false }
        return action(place).action == log.action(other).action
    }

    /// The difference that a mismatch with a candidate is.
    func difference(
        _ mismatch: TrialMismatch, with candidate: ConsequenceLog, after cause: UInt64
    ) -> TrialDifference {
        TrialDifference(
            mismatch.kind, cause, mismatch.before.map(action), mismatch.now.map(candidate.action))
    }

    /// What emitted the consequence that a mismatch with a candidate is about.
    func place(of mismatch: TrialMismatch, with candidate: ConsequenceLog) -> TrialPlace {
        let (before, now) = (mismatch.before.map { entries[$0] }, mismatch.now.map { candidate.entries[$0] })
        return TrialPlace(
            type: (before ?? now)?.type.name ?? "", instance: (now ?? before)?.instance)
    }

    /// The consequences of an action, parsed.
    func actions(of step: Int) -> [FollowingAction] { part(step).map(action) }

    /// The consequence at a place, parsed.
    private func action(_ place: Int) -> FollowingAction {
        let entry = entries[place]
        return FollowingAction(
            sequence: entry.sequence, type: entry.type.name, instance: entry.instance,
            action: (try? JSONText.parse(Array(text(place)))) ?? ["type": .string(entry.type.name)])
    }

    /// A number that the same consequences give again, and others seldom.
    func digest(of step: Int) -> UInt64 {
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        let part = part(step)
        for byte in bytes[text(of: part)] { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
        digest = (digest ^ UInt64(part.count)) &* 0x100_0000_01b3
        return digest ^ UInt64(truncatingIfNeeded: steps[step].effects)
    }
}

/// A consequence of another action.
struct FollowingAction: Equatable, Sendable {
    /// The action's number, where recorded.
    var sequence: UInt64?
    /// The type.
    let type: String
    /// The emitting instance.
    let instance: String?
    /// The wire form.
    let action: Value
}
