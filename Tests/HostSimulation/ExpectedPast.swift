// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal

/// What a simulated host has handed over to its journal, and how much of it must be left when it dies.
///
/// Simple on purpose: values that are appended, and cut off where the journal is.
struct ExpectedPast {
    /// How an effect stands.
    struct Effect: Equatable {
        /// Its key, and its place among those of its action.
        let key: String
        let ordinal: UInt32
        /// How often it has begun.
        let attempt: UInt32
        /// The action that has started it.
        let sequence: UInt64
    }

    /// What a journal has after something that was handed over.
    struct Moment {
        /// The number of the last action, and of the last input.
        var sequence: UInt64 = 0
        var input: UInt64 = 0
        /// The inputs that are not done: their actions, by number.
        var open: [UInt64: Int] = [:]
        /// The effects that are under way, by number.
        var running: [UInt64: Effect] = [:]
        /// The dead letters that are there.
        var letters: Set<Int64> = []
        /// The number of the last dead letter that was kept, whether it is there or not.
        var lastLetter: Int64 = 0
        /// How many generations were recorded.
        var generations = 0
        /// The state, with the swap of the last generation.
        var state = SimulatedState()
        /// How many of the names are there, and how many of the roots.
        var names = 0
        var roots = 0
    }

    /// What an input was called, and when that was written down.
    struct Name {
        /// The name.
        let name: String
        /// The time of the transaction, by the clock that people set; nil before it.
        var time: Double?
    }

    /// All moments, oldest first.
    private(set) var moments = [Moment()]
    /// What every action has said, from the first on.
    private(set) var told: [Int] = []
    /// The names of inputs, in the order of writing.
    private(set) var names: [Name] = []
    /// The actions whose passes were done, in order.
    private(set) var roots: [Int] = []
    /// Up to which moment the transactions have ended, and what they have written is on the disk.
    private(set) var committed = 0
    private(set) var synced = 0
    /// The latest time that the journal has seen, by which it forgets names, and that of the last transaction.
    private var latest = 0.0
    private var last = 0.0

    /// The last moment.
    var now: Moment { moments[moments.count - 1] }

    /// How often each action is there, by what it says.
    var counts: [Int: Int] { told.reduce(into: [:]) { $0[$1, default: 0] += 1 } }

    // MARK: - What is handed over

    /// Takes note of a batch, and gives the number of the moment after it.
    ///
    /// - Parameters:
    ///   - told: what the actions of the batch say.
    ///   - opened: the actions of its inputs, by number.
    ///   - roots: the actions whose passes are done by it.
    mutating func append(
        _ batch: JournalBatch, told: [Int], opened: [UInt64: Int], roots: [Int], state: SimulatedState
    ) -> Int {
        var moment = now
        self.told += told
        moment.sequence += UInt64(batch.entries.count)
        for input in batch.inputs {
            moment.input = max(moment.input, input.number)
            moment.open[input.number] = opened[input.number]
            if let id = input.id { names.append(Name(name: id)) }
        }
        for number in batch.done { moment.open[number] = nil }
        for effect in batch.running {
            moment.running[effect.number] = Effect(
                key: effect.key, ordinal: effect.ordinal, attempt: effect.attempt, sequence: effect.sequence)
        }
        for number in batch.ended { moment.running[number] = nil }
        self.roots += roots
        (moment.names, moment.roots, moment.state) = (names.count, self.roots.count, state)
        moments.append(moment)
        return moments.count - 1
    }

    /// Takes note of something else that is handed over.
    mutating func append(_ change: (inout Moment) -> Void) {
        var moment = now
        change(&moment)
        moments.append(moment)
    }

    // MARK: - What is kept

    /// Takes note that a transaction begins, of all that was handed over, if it is due.
    mutating func write(at time: Double) {
        last = time
        latest = max(latest, time)
    }

    /// Takes note that it has ended.
    mutating func commit(isSynced: Bool) {
        dateNames()
        committed = moments.count - 1
        if isSynced { synced = committed }
    }

    /// Gives names the time of the last transaction that have none.
    private mutating func dateNames() {
        for index in names.indices.reversed() {
            if names[index].time != nil { return }
            names[index].time = last
        }
    }

    /// The names that came between what was committed last and a moment, and that a journal must still know, by a window and a time.
    func names(upTo moment: Moment, in window: Double, at time: Double) -> [String] {
        let first = moments[committed].names
        let earliest = max(latest, time) - window
        return names[first..<max(first, moment.names)].filter { $0.time ?? last > earliest }.map(\.name)
    }

    /// Takes note that all that was committed is on the disk.
    mutating func sync() { synced = committed }

    /// Takes note that what is not on the disk may be gone.
    mutating func losePower() { committed = synced }

    /// The names that a journal must still know, by a window and a time.
    func known(in window: Double, at time: Double) -> [String] {
        let latest = max(latest, time)
        return names.compactMap { name in
            name.time.map { $0 > latest - window } ?? false ? name.name : nil
        }
    }

    /// Goes on after a moment; what came later is gone.
    mutating func cut(behind moment: Int) {
        moments = [moments[moment]]
        dateNames()
        told.removeLast(told.count - Int(now.sequence))
        names.removeLast(names.count - now.names)
        roots.removeLast(roots.count - now.roots)
        (committed, synced) = (0, 0)
    }
}
