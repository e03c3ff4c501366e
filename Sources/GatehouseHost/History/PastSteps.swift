// SPDX-License-Identifier: Apache-2.0

/// One action that came in, or came later from an effect, and what is recorded to have followed from it at once.
struct PastStep {
    /// The action.
    let root: HistoryEntry
    /// Changes of their own state that interceptors made before it reached the reducers, in order.
    let changesBefore: [HistoryEntry]
    /// What followed from it, in order.
    var consequences: [HistoryEntry] = []
    /// Whether nothing was under way when it was over: what comes later follows from other actions.
    var isClosed = true

    /// The last action that belongs to it.
    var last: UInt64 { consequences.last?.sequence ?? root.sequence }
}

/// Goes over a part of the past action by action that came in, each with its consequences.
final class PastSteps {
    /// So many actions are looked ahead: what follows from an action must stand among them to be found.
    private static let ahead = 16_384

    /// Gives the actions.
    private let cursor: HistoryCursor
    /// Steps that were read and not given.
    private var steps: ArraySlice<PastStep> = []
    /// The index of the step to which an action belongs.
    private var owners: [UInt64: Int] = [:]
    /// Changes by interceptors whose action has not come yet.
    private var changes: [HistoryEntry] = []
    /// The actions that were read and not given.
    private var waiting = 0
    /// Whether there is no more to read.
    private var isAtEnd = false
    /// The last action that belongs to the steps given so far.
    private var last: UInt64 = 0
    /// What is missing; sentences.
    private(set) var damage: [String] = []

    /// Steps of the actions that a cursor gives.
    init(_ cursor: HistoryCursor) { self.cursor = cursor }

    /// The next step; nil behind the last one.
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
        case .damage(let sentence), .gap(let sentence): damage.append(sentence)
        case .entry(let entry):
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

extension HistoryEntry {
    /// Whether it followed at once from the action that is its cause.
    fileprivate var isAnswer: Bool {
        switch cause {
        case .output, .own: true
        case .unknown, .input, .effect: false
        }
    }
}
