// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal

/// An action that came in, or came later from an effect, with its recorded immediate consequences.
struct PastStep {
    /// The action.
    let root: JournalRecord
    /// Changes of their own state that interceptors made before the action reached the reducers, in order.
    let changesBefore: [JournalRecord]
    /// The consequences, in order.
    var consequences: [JournalRecord] = []
    /// Whether nothing was in progress at its end: later actions follow from others.
    var isClosed = true

    /// The last action of the step.
    var last: UInt64 { consequences.last?.sequence ?? root.sequence }
}

/// Iterates over a part of the past by incoming action, each with its consequences.
final class PastSteps {
    /// How many actions to read ahead: consequences are found only within that distance.
    private static let ahead = 16_384

    /// Supplies the actions.
    private let cursor: HistoryCursor
    /// Steps read but not yet returned.
    private var steps: ArraySlice<PastStep> = []
    /// The index of each action's step.
    private var owners: [UInt64: Int] = [:]
    /// Changes by interceptors whose action has not come yet.
    private var changes: [JournalRecord] = []
    /// The number of actions read but not yet returned.
    private var waiting = 0
    /// Whether everything is read.
    private var isAtEnd = false
    /// The last action of the steps returned so far.
    private var last: UInt64 = 0
    /// Sentences about missing actions.
    private(set) var damage: [String] = []

    /// Groups the actions of a cursor into steps.
    init(_ cursor: HistoryCursor) { self.cursor = cursor }

    /// Returns the next step; nil after the last one.
    func next() throws(JournalFailure) -> PastStep? {
        while !isAtEnd, waiting < Self.ahead { try read() }
        guard var step = steps.popFirst() else { return nil }
        waiting -= 1 + step.consequences.count + step.changesBefore.count
        owners[step.root.sequence] = nil
        for entry in step.consequences { owners[entry.sequence] = nil }
        last = max(last, step.last)
        step.isClosed = steps.first.map { ($0.changesBefore.first ?? $0.root).sequence > last } ?? true
        return step
    }

    /// Reads one action.
    private func read() throws(JournalFailure) {
        guard let item = try cursor.next() else {
            isAtEnd = true
            return
        }
        switch item {
        case .damage(let part): damage.append("\(part)")
        case .record(let entry):
            waiting += 1
            if case .own(of: nil) = entry.cause {
                changes.append(entry)
            } else if let cause = entry.cause.sequence, let owner = owners[cause], entry.isAnswer {
                for entry in changes + [entry] {
                    steps[owner].consequences.append(entry)
                    owners[entry.sequence] = owner
                }
                changes = []
            } else {
                owners[entry.sequence] = steps.endIndex
                steps.append(PastStep(root: entry, changesBefore: changes))
                changes = []
            }
        }
    }
}

extension JournalRecord {
    /// Whether the action followed immediately from its cause.
    fileprivate var isAnswer: Bool {
        switch cause {
        case .output, .own: true
        case .unknown, .input, .effect: false
        }
    }
}
