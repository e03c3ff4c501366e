// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal

/// An action that came in, or came later from an effect, with its recorded immediate consequences.
///
/// An object, because two threads take the same steps at the same time: of a value with its records, each would count the references to
/// every part.
///
/// `@unchecked Sendable`: what varies is changed only by the `PastSteps` that reads the step, before it returns it.
final class PastStep: @unchecked Sendable {
    /// The action.
    let root: JournalRecord
    /// Changes of their own state that interceptors made before the action reached the reducers, in order.
    let changesBefore: [JournalRecord]
    /// The consequences, in order; empty where nobody wants them.
    private(set) var consequences: [JournalRecord] = []
    /// What reducers were told about the time of each consequence, in the same order; ends with the last one that asked.
    private(set) var moments: [Moment?] = []
    /// The number of consequences.
    private(set) var count = 0
    /// The last action of the step.
    private(set) var last: UInt64
    /// Whether nothing was in progress at its end: later actions follow from others.
    fileprivate(set) var isClosed = true

    /// A consequence whose reducers asked for the time.
    struct Moment {
        /// Its type.
        let type: String
        /// The time, in seconds since 1970.
        let time: Double
    }

    /// Creates a step.
    init(root: JournalRecord, changesBefore: [JournalRecord], consequences: [JournalRecord] = []) {
        self.root = root
        self.changesBefore = changesBefore
        last = root.sequence
        for entry in consequences { add(entry, keeping: true) }
    }

    /// The first action of the step.
    fileprivate var first: UInt64 { changesBefore.first?.sequence ?? root.sequence }

    /// Adds a consequence.
    ///
    /// - Parameter isKept: whether anybody wants it.
    fileprivate func add(_ entry: JournalRecord, keeping isKept: Bool) {
        if let time = entry.time {
            while moments.count < count { moments.append(nil) }
            moments.append(Moment(type: entry.type, time: time))
        }
        if isKept { consequences.append(entry) }
        count += 1
        last = entry.sequence
    }
}

/// Iterates over a part of the past by incoming action, each with its consequences.
final class PastSteps {
    /// How many actions to read ahead: consequences are found only within that distance.
    private static let ahead = 16_384

    /// Supplies the actions.
    private let cursor: HistoryCursor
    /// Whether steps keep their consequences; those of an action without its payload are always kept.
    private let keepsConsequences: Bool
    /// Steps read but not yet returned; more of their consequences may follow.
    private var steps: [PastStep?] = []
    /// How many of these, at the beginning, have been returned, and are nil.
    private var returned = 0
    /// The number of the first of `steps`, counted from the first of all.
    private var firstStep = 0
    /// The step of each of the last actions that were read, by its number; one that has been returned hears no more.
    private var owners: [Int?] = []
    /// The number of the first of these actions.
    private var firstOwned: UInt64 = 0
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
    ///
    /// - Parameter keepsConsequences: whether steps keep their consequences; those of an action without its payload are always kept.
    init(_ cursor: HistoryCursor, keepsConsequences: Bool = true) {
        self.cursor = cursor
        self.keepsConsequences = keepsConsequences
    }

    /// Returns the next step; nil after the last one.
    func next() throws(JournalFailure) -> PastStep? {
        while !isAtEnd, waiting < Self.ahead { try read() }
        guard let step = popFirst() else { return nil }
        waiting -= 1 + step.count + step.changesBefore.count
        last = max(last, step.last)
        if returned < steps.count, let next = steps[returned] { step.isClosed = next.first > last }
        return step
    }

    /// Takes the next step out of `steps`, whose memory moves together now and then.
    private func popFirst() -> PastStep? {
        guard returned < steps.count else { return nil }
        defer {
            returned += 1
            if returned == Self.ahead {
                steps.removeFirst(returned)
                firstStep += returned
                returned = 0
            }
        }
        return steps[returned].take()
    }

    /// Returns the place in `steps` of the step of an action; nil for one that is not known, or whose step has been returned.
    private func owner(of sequence: UInt64) -> Int? {
        guard sequence >= firstOwned, sequence - firstOwned < UInt64(owners.count),
            let step = owners[Int(sequence - firstOwned)]
        else { return nil }
        let place = step - firstStep
        return place >= returned ? place : nil
    }

    /// Takes note of the step of an action that follows all others so far, by its place in `steps`.
    private func note(_ sequence: UInt64, in place: Int) {
        if owners.count >= 4 * Self.ahead {
            owners.removeFirst(2 * Self.ahead)
            firstOwned += UInt64(2 * Self.ahead)
        }
        let next = firstOwned + UInt64(owners.count)
        if owners.isEmpty || sequence < next || sequence - next > UInt64(Self.ahead) {
            (owners, firstOwned) = ([], sequence)
        } else {
            // Those between are missing, or changed an interceptor, and have no consequences.
            owners.append(contentsOf: repeatElement(nil, count: Int(sequence - next)))
        }
        owners.append(firstStep + place)
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
            } else if entry.isAnswer, let cause = entry.cause.sequence, let owner = owner(of: cause) {
                for change in changes { add(change, to: owner) }
                changes = []
                add(entry, to: owner)
            } else {
                note(entry.sequence, in: steps.count)
                steps.append(PastStep(root: entry, changesBefore: changes))
                if !changes.isEmpty { changes = [] }
            }
        }
    }

    /// Adds a consequence to a step.
    private func add(_ entry: JournalRecord, to owner: Int) {
        note(entry.sequence, in: owner)
        guard let step = steps[owner] else { return }
        step.add(entry, keeping: keepsConsequences || step.root.encodingFailure != nil)
    }
}

extension JournalRecord {
    /// Whether the action followed immediately from its cause.
    fileprivate var isAnswer: Bool {
        switch cause {
        case .output, .own: true
        case .unknown, .input, .effect, .interception: false
        }
    }
}
