// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehouseRuntime

/// What became of each action that the clerk or the scribe was given, as its processes know it, over all lives of the host: what a journal says of them
/// must agree.
struct ClerkBook {
    /// One action.
    private struct Entry {
        /// The action.
        let action: ClerkAction
        /// What its effects are called.
        let key: String
        /// The input that it goes back to; 0 for none.
        let input: UInt64
        /// How often they have begun in different hosts.
        var attempt: UInt32 = 1
        /// Whether a process has told that it has heard it, or was shown it, in this life of the host.
        var isHeard = false
        /// The places of the effects that it has begun by then and not ended.
        var open: Set<UInt32> = []
        /// The places of those that are to begin since it was shown last; nil for all.
        var expected: Set<UInt32>?
        /// The places of those of which people were told that they were interrupted.
        var interrupted: Set<UInt32> = []
        /// The action with which its gate has ended all of it, 0 for none; nil where it has not.
        var ended: UInt64?
        /// The last action when something that it leads to was first lost behind a closed gate; nil where nothing was.
        var unheard: UInt64?
        /// Whether a dead letter has stood for it, or for some of its effects.
        var wasLeftOut = false
        /// The dead letter that stands for it, where it was left out; nil where it was not.
        var letter: Int64?

        /// Whether it has come to its end.
        var isFinished: Bool { letter != nil || ended != nil || isHeard && open.isEmpty }
    }

    /// Which it is.
    let id: ClerkID
    /// The actions by number.
    private var entries: [UInt64: Entry] = [:]
    /// Their numbers, in order.
    private var order: [UInt64] = []
    /// The actions of effects and their places, by the numbers that the worker gave last.
    private var owners: [UInt64: (sequence: UInt64, place: UInt32)] = [:]
    /// The actions that the state does not have: they were left out before they were heard, or the worker was given up.
    private var missing: Set<UInt64> = []
    /// The state after the first actions, as far as it was asked for, and how many those are.
    private var known = (count: 0, state: ClerkState())
    /// After how many actions the state was migrated each time, and the last action that its host had recorded.
    private var migrations: [(count: Int, sequence: UInt64)] = []
    /// What is wrong.
    private(set) var faults: [String] = []

    /// A book without actions.
    init(_ id: ClerkID) { self.id = id }

    // MARK: - What happens

    /// Takes note of an action that the clerk is given.
    mutating func give(_ action: ClerkAction, as sequence: UInt64, key: String, input: UInt64) {
        entries[sequence] = Entry(action: action, key: key, input: input)
        order.append(sequence)
    }

    /// Takes note that the clerk in the host has heard an action, or was shown it once more, and of the effects that run since.
    mutating func hear(_ sequence: UInt64, beginning effects: [JournalEffect]) {
        entries[sequence]?.isHeard = true
        for effect in effects {
            begin(effect, running: effects.count)
            entries[sequence]?.open.insert(effect.ordinal)
        }
    }

    /// Takes note that an effect of the clerk in the host has ended.
    mutating func end(_ ordinal: UInt32, of sequence: UInt64) {
        entries[sequence]?.open.remove(ordinal)
    }

    /// Takes note of an effect that has begun in a process.
    ///
    /// - Parameter count: how many effects of its action run there.
    mutating func begin(_ effect: JournalEffect, running count: Int) {
        guard let entry = entries[effect.sequence] else {
            return faults.append("an effect of action \(effect.sequence) begins, which is not there")
        }
        if effect.key != entry.key {
            faults.append(
                "an effect of action \(effect.sequence) is called \(effect.key), and was \(entry.key)")
        }
        if count > entry.action.effects {
            faults.append(
                "\(count) effects of action \(effect.sequence) run, and it has \(entry.action.effects)")
        }
        if entry.interrupted.contains(effect.ordinal) || entry.expected?.contains(effect.ordinal) == false {
            faults.append(
                "effect \(effect.ordinal) of action \(effect.sequence) begins, and was told as interrupted or has ended"
            )
        }
        if effect.attempt < entry.attempt {
            faults.append(
                "an effect of action \(effect.sequence) begins at attempt \(effect.attempt), and has begun \(entry.attempt) times"
            )
        }
    }

    /// Takes note of a checkpoint that counts.
    mutating func take(_ checkpoint: SimulatedWorker.Checkpoint) {
        for sequence in checkpoint.heard { entries[sequence]?.isHeard = true }
        for effect in checkpoint.begun {
            owners[effect.number] = (effect.sequence, effect.ordinal)
            entries[effect.sequence]?.open.insert(effect.ordinal)
        }
        for number in checkpoint.ended {
            if let (sequence, place) = owners[number] { end(place, of: sequence) }
        }
    }

    /// Whether an action leads to another one: on the spot, or by an effect.
    func mayLead(_ sequence: UInt64, to told: Int, isLate: Bool) -> Bool {
        guard let action = entries[sequence]?.action else { return false }
        return told == (isLate ? action.late : action.answer)
    }

    /// Takes note that an action was left out, for which a dead letter stands.
    mutating func leaveOut(_ sequence: UInt64, letter: Int64) {
        entries[sequence]?.letter = letter
        entries[sequence]?.wasLeftOut = true
    }

    /// Takes note that a gate has ended all that was under way of actions.
    ///
    /// - Parameters:
    ///   - mover: the action that has moved it, which a journal has with that; 0 for none.
    ///   - last: the last action that the host has recorded.
    mutating func end(_ sequences: [UInt64], after mover: UInt64, at last: UInt64) {
        for sequence in sequences {
            entries[sequence]?.ended = mover
            drop(after: sequence, at: last)
        }
    }

    /// Looks whether another process is given effects that a gate has ended.
    mutating func check(given sequences: Set<UInt64>) {
        for sequence in sequences.sorted() where entries[sequence]?.ended != nil {
            faults.append("effects of action \(sequence) begin in another process, and a gate has ended them")
        }
    }

    /// Takes note that a closed gate has dropped what an action has led to.
    ///
    /// - Parameter last: the last action that the host has recorded.
    mutating func drop(after sequence: UInt64, at last: UInt64) {
        if entries[sequence]?.unheard == nil { entries[sequence]?.unheard = last }
    }

    /// Takes note that the state will not have an action.
    mutating func miss(_ sequence: UInt64) {
        missing.insert(sequence)
        known = (0, ClerkState())
    }

    /// Takes note that the worker was given up with a state, which will not have the actions after the last one in it.
    mutating func giveUp(with state: ClerkState) {
        _ = self.state(with: state.count)
        missing.formUnion(order[known.count...])
        known = (0, ClerkState())
    }

    /// Takes note that people are told of an effect that was interrupted.
    mutating func interrupt(_ effect: JournalEffect) {
        entries[effect.sequence]?.interrupted.insert(effect.ordinal)
        end(effect.ordinal, of: effect.sequence)
    }

    /// Takes note that an action is shown once more.
    ///
    /// - Parameter effects: stand for it from then on; not empty.
    mutating func show(_ effects: [JournalEffect]) {
        let first = effects[0]
        guard var entry = entries[first.sequence] else {
            return faults.append("action \(first.sequence) is shown, and was never given")
        }
        (entry.isHeard, entry.open, entry.letter, entry.ended) = (false, [], nil, nil)
        entry.attempt = first.attempt
        entry.expected = first.standsForAll ? nil : Set(effects.map(\.ordinal))
        if first.standsForAll { entry.interrupted = [] }
        entries[first.sequence] = entry
    }

    /// Takes note that an instance that takes over migrates the state of the one before; nil for a worker that has told none.
    ///
    /// - Parameter sequence: the last action that the host has recorded.
    mutating func migrate(_ state: ClerkState?, after sequence: UInt64) {
        migrations.append((state?.count ?? 0, sequence))
        known = (0, ClerkState())
    }

    // MARK: - What must hold

    /// The state after the first actions, but for those that were left out before.
    ///
    /// - Parameter count: how many it has; nil for all.
    private mutating func state(with count: Int? = nil) -> ClerkState {
        if let count, count < known.state.count { known = (0, ClerkState()) }
        while true {
            while let next = migrations.dropFirst(known.state.form - 1).first, next.count <= known.state.count
            {
                known.state.migrate(to: known.state.form + 1)
            }
            guard known.count < order.count, known.state.count < count ?? .max else { return known.state }
            let next = order[known.count]
            if !missing.contains(next), let entry = entries[next] { known.state.reduce(entry.action) }
            known.count += 1
        }
    }

    /// Looks whether a state has each action up to its last one, once and in order.
    mutating func check(_ state: ClerkState) {
        let expected = self.state(with: state.count)
        if state != expected { faults.append("the \(id)'s state is \(state), and must be \(expected)") }
    }

    /// Goes on after what a recovery has found, and compares.
    ///
    /// - Parameters:
    ///   - base: the last action in the snapshot from which the state was made: what was left out later is in the state.
    ///   - letter: the last dead letter that was kept.
    ///   - state: the state that was found; nil for none.
    ///   - counts: how often each action is there, by what it says.
    mutating func recover(
        _ recovery: Recovery, base: UInt64, letter: Int64, state: ClerkState?, counts: [Int: Int]
    ) {
        while let last = order.last, last > recovery.sequence {
            entries[last] = nil
            order.removeLast()
        }
        // What a gate has ended with an action that is lost has not ended.
        for sequence in order {
            if entries[sequence]?.ended ?? 0 > recovery.sequence { entries[sequence]?.ended = nil }
            if entries[sequence]?.unheard ?? 0 > recovery.sequence { entries[sequence]?.unheard = nil }
        }
        keepMigrations(of: state, after: recovery.sequence)
        // A migrated state was recorded without them, too.
        let made = max(base, migrations.last?.sequence ?? 0)
        missing = missing.filter { $0 <= made }
        known = (0, ClerkState())
        let expected = self.state()
        if let state, state != expected {
            faults.append("the state of the \(id) that was found is \(state), and must be \(expected)")
        }
        let left = Dictionary(
            grouping: recovery.effects.filter { [id] in $0.instance == id.rawValue }, by: \.sequence)
        for (sequence, effects) in left.sorted(by: { $0.key < $1.key }) { compare(effects, of: sequence) }
        for sequence in order {
            guard let entry = entries[sequence] else { continue }
            let isLost = entry.letter.map { $0 > letter } ?? false
            guard left[sequence] == nil else {
                // It was left out by a host that could not write that down.
                if isLost { entries[sequence]?.letter = nil }
                continue
            }
            if !entry.isFinished {
                faults.append("action \(sequence) has not come to its end in the \(id), and is not shown")
            }
            // What a gate has ended is over without the letter, which says only that no instance has heard it.
            guard isLost, entry.ended == nil else { continue }
            faults.append("action \(sequence) was left out, and no dead letter stands for it")
        }
        compare(counts) { sequence in
            guard let effects = left[sequence] else { return .ended }
            return effects.contains(where: \.standsForAll) ? .given : .answered
        }
    }

    /// Compares what the journal has of the effects of an action.
    private mutating func compare(_ effects: [JournalEffect], of sequence: UInt64) {
        guard let entry = entries[sequence] else {
            return faults.append("effects of action \(sequence) are in the journal, which was never given")
        }
        for effect in effects where effect.key != entry.key || effect.input != entry.input {
            faults.append(
                "an effect of action \(sequence) is called \(effect.key) in the journal, after input \(effect.input), and must be \(entry.key), after input \(entry.input)"
            )
        }
        if let ended = entry.ended, ended > 0 {
            faults.append("action \(sequence) has ended with action \(ended), and is in the journal")
        }
        let places = effects.map(\.ordinal)
        if Set(places).count < places.count {
            faults.append("several effects stand for one of action \(sequence)")
        }
        guard !places.contains(JournalEffect.all) else {
            if places.count > 1 {
                faults.append("one effect stands for all of action \(sequence), and others too")
            }
            return
        }
        for place in entry.open.subtracting(places).sorted() {
            faults.append("effect \(place) of action \(sequence) has not ended, and is not begun again")
        }
    }

    /// Forgets the migrations whose records were lost, which is none before the last action that was found.
    private mutating func keepMigrations(of state: ClerkState?, after sequence: UInt64) {
        let found = (state?.form ?? 1) - 1
        let least = migrations.count { $0.sequence < sequence }
        let most = migrations.count { $0.sequence <= sequence }
        if found < least || found > most {
            faults.append(
                "the state of the \(id) was migrated \(found) times after action \(sequence), and must have been \(least) to \(most) times"
            )
        }
        migrations.removeLast(max(0, migrations.count - found))
    }

    /// Compares in the end, when nothing is left to do.
    mutating func finish(state: ClerkState?, counts: [Int: Int]) {
        let unfinished = order.filter { entries[$0]?.isFinished == false }
        if !unfinished.isEmpty {
            faults.append("the actions \(unfinished) have not come to their end in the \(id)")
        }
        let expected = self.state()
        if let state, state != expected {
            faults.append("in the end the \(id)'s state is \(state), and must be \(expected)")
        }
        compare(counts) { _ in .ended }
    }

    /// How far an action has come.
    private enum Progress { case given, answered, ended }

    /// Compares what the clerk has emitted with how far its actions have come.
    private mutating func compare(_ counts: [Int: Int], _ progress: (UInt64) -> Progress) {
        var answers: [Int: (least: Int, most: Int)] = [:]
        for sequence in order {
            guard let entry = entries[sequence] else { continue }
            let progress = progress(sequence)
            if let answer = entry.action.answer {
                var bounds = answers[answer, default: (0, 0)]
                if progress != .given { bounds.most += 1 }
                if progress != .given, entry.letter == nil, entry.unheard == nil { bounds.least += 1 }
                answers[answer] = bounds
            }
            if progress == .ended, !entry.wasLeftOut, entry.unheard == nil,
                counts[entry.action.late, default: 0] + counts[entry.action.interruption, default: 0]
                    < entry.action.effects
            {
                faults.append(
                    "what the effects of action \(sequence) have emitted is gone, and nobody was told")
            }
        }
        for (answer, bounds) in answers.sorted(by: { $0.key < $1.key }) {
            let count = counts[answer] ?? 0
            if count < bounds.least || count > bounds.most {
                faults.append(
                    "the \(id)'s answer \(answer) is there \(count) times, and must be \(bounds.least) to \(bounds.most) times"
                )
            }
        }
    }
}
