// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
package import GatehousePlan
package import GatehouseSDK
package import GatehouseSupport

/// What goes to a worker, and what is known of it; a link guards it by a lock.
package struct WorkerTraffic: ~Copyable {
    /// What the worker was given, or will be, since its last checkpoint.
    package var kept = KeptOrders()
    /// To the process that runs; nil while none does.
    var writer: RingWriter?
    /// Orders of this process that are not kept.
    var prelude: [UInt8] = []
    /// How much of them is in the ring.
    var preludeSent = 0
    /// How many those are.
    package var preludeCount: UInt64 = 0
    /// How many orders this process has carried out.
    private var carriedOut: UInt64 = 0
    /// The number of the last kept order that was done when the process began.
    var base: UInt64 = 0
    /// What the instance's effects are called; nil before it is to be started.
    package var keys: Keys?
    /// Whether it was started at the last checkpoint.
    var hasStarted = false
    /// Whether it had done by then what is to be done at the end.
    private var hasStopped = false
    /// Whether somebody begins again what the effects leave that are to stop.
    package var isSucceeded = false
    /// Where the gate stood by then, as far as the plugin was told.
    private var gate = GateState.active
    /// Where it has stood since, one for each order to tell it.
    package var gates: [GateState] = []
    /// The version of the form of the state.
    package var stateVersion = 1
    /// The state at the last checkpoint; nil for none.
    package var state: VersionedState?
    /// A state that the instance is to take over, and that no process has answered; nil for none.
    private var given: VersionedState?
    /// Whether the process that runs has yet to answer that it takes over the state of the one before.
    private var owesRestored = false
    /// Why no other process is started; nil where one is.
    package var isGivenUp: String?
    /// Why the process that ran last was ended; nil for one that has ended by itself.
    var objection: String?
    /// An effect that has not ended.
    package struct OpenEffect {
        /// The action that it belongs to.
        package let sequence: UInt64
        /// What another process begins it again from.
        var value: Value
        /// What the worker has told of it last.
        var told: TakenCheckpoint.BegunEffect
        /// How many processes have died while it was open and no action was in hand.
        var deaths = 0
    }
    /// Effects that have not ended, by the numbers that the worker gave.
    package var effects: [UInt64: OpenEffect] = [:]
    /// The highest of these numbers so far: those of another process come after it.
    private var lastEffect: UInt64 = 0
    /// Actions that are done and have such effects, by their numbers, and how many each has.
    private var open: [UInt64: (action: KeptAction, count: Int)] = [:]
    /// How many effects the worker has after the last checkpoint that counts.
    var counts = WorkerCounts()
    /// Checkpoints that count, and of which the drain has not done yet what they say.
    var unapplied: [TakenCheckpoint] = []
    /// Whether another instance takes over, so that no more checkpoints count.
    var isReplaced = false
    /// The number of the process that runs; nil while none does.
    var process: Int32?
    /// The folder of its control group; nil for none of its own.
    var groupFolder: String?
    /// How often a process has ended unasked.
    package var deaths = 0
    /// The number of the last action that the state in the drain contains; 0 where that is as at the start of the host.
    var at: UInt64 = 0
    /// What the instance counts itself, over all processes.
    private(set) var account = WorkerAccount()
    /// The same when the process began.
    private var accountBefore = WorkerAccount()
    /// Who waits for a copy of the state, by the number in the order to make it.
    private var copies: [UInt64: WorkerCopy] = [:]
    /// Numbers those.
    private var lastCopy: UInt64 = 0

    /// What goes to a worker that was given nothing.
    package init() {}

    /// How the worker stands.
    ///
    /// - Parameter gathered: how many orders are not kept here yet.
    func standing(gathered: Int) -> WorkerStanding {
        WorkerStanding(
            process: process, groupFolder: groupFolder, deaths: deaths, at: at,
            waiting: kept.count + unapplied.count + gathered,
            effects: counts.foreground + counts.background, account: account, isGivenUp: isGivenUp)
    }

    /// Takes over what the process has counted so far.
    mutating func take(_ account: WorkerAccount) { self.account = account.following(accountBefore) }

    /// Expects a copy of the state after all that the worker was given so far; nil where it is known already.
    ///
    /// - Returns: also the number for the order to make it.
    package mutating func addCopy() -> (copy: WorkerCopy, number: UInt64)? {
        guard isGivenUp == nil, kept.changesState else { return nil }
        lastCopy += 1
        let copy = WorkerCopy()
        copies[lastCopy] = copy
        return (copy, lastCopy)
    }

    /// Hands a copy to who waits for it.
    ///
    /// - Throws: that nobody does.
    mutating func tell(_ state: Value, to number: UInt64) throws(FrameFailure) {
        guard let copy = copies.removeValue(forKey: number) else { throw .badNumber("a number of a copy") }
        copy.tell(state)
    }

    /// Puts into the ring what there is room for.
    package mutating func flush() throws(RingFailure) {
        guard var writer = writer.take() else { return }
        do throws(RingFailure) {
            try put(into: &writer)
        } catch {
            self.writer = consume writer
            throw error
        }
        writer.publish()
        self.writer = consume writer
    }

    /// Puts what there is room for after what was put before.
    private mutating func put(into writer: inout RingWriter) throws(RingFailure) {
        while preludeSent < prelude.count {
            let count = try writer.put(prelude.span.extracting(preludeSent..<prelude.count))
            guard count > 0 else { return }
            preludeSent += count
        }
        while !kept.isSent {
            let count = try kept.put(into: &writer)
            guard count > 0 else { return }
            kept.send(count)
        }
    }

    /// Whether all is in the ring.
    var isSent: Bool { preludeSent == prelude.count && kept.isSent }

    /// Adds an order for this process alone, ahead of all that is kept.
    package mutating func addAhead(_ order: WorkerOrder, _ body: (inout FrameWriter) -> Void) {
        var frame = FrameWriter()
        frame.begin(order.rawValue)
        body(&frame)
        frame.end()
        prelude += frame.bytes
        preludeCount += 1
    }

    /// Begins with another process: it is given the state and the effects of the last checkpoint, and then what is kept.
    package mutating func attach(_ writer: consuming RingWriter) {
        (prelude, preludeSent, preludeCount, carriedOut) = ([], 0, 0, 0)
        base = kept.last
        accountBefore = account
        kept.rewind()
        owesRestored = given == nil && state != nil
        if let state = given ?? state { addAhead(.restore) { $0.put(state) } }
        // The order to start itself may be among those that are kept.
        if let keys, hasStarted {
            let effects = effects.sorted { $0.key < $1.key }.map(\.value.value)
            let last = lastEffect
            addAhead(.start) { Self.write(keys, effects, after: last, to: &$0) }
        }
        let gate = gate
        if gate != .active { addAhead(.gate) { Self.write(gate, to: &$0) } }
        // What is to be done at the end is done, or among the effects.
        if hasStopped {
            addAhead(.stopEffects) { [isSucceeded] in $0.put(isSucceeded) }
        }
        if !kept.context.isEmpty {
            prelude += kept.context
            preludeCount += 1
        }
        // Among them is what ended the process before this one.
        let doubtful = UInt64(kept.count)
        if deaths > 0, doubtful > 0 { addAhead(.careful) { $0.put(doubtful) } }
        self.writer = consume writer
    }

    /// How many orders are done, and how many are not.
    ///
    /// - Parameter isWithOwn: whether those count that this process alone is given, such as the state of the one before.
    package func waiting(withOwn isWithOwn: Bool) -> (done: UInt64, count: Int) {
        let own = isWithOwn ? Int(preludeCount - min(carriedOut, preludeCount)) : 0
        return (base + carriedOut, kept.count + own)
    }

    /// Takes note that the process is gone.
    package mutating func detach() {
        writer = nil
        (process, groupFolder) = (nil, nil)
    }

    /// Takes a checkpoint: from here on it counts, and so does nothing else that the process has done. Fills in what follows from it.
    ///
    /// - Parameters:
    ///   - orders: how many orders this process has carried out.
    ///   - begun: the effects that have begun since the one before, or begun again, with the actions that they belong to.
    ///   - ended: the numbers of those that have ended.
    /// - Throws: a number that no honest worker tells.
    package mutating func take(
        _ checkpoint: inout TakenCheckpoint, after orders: UInt64,
        _ begun: [(number: UInt64, sequence: UInt64, value: Value)], _ ended: [UInt64]
    ) throws(FrameFailure) {
        (checkpoint.finished, checkpoint.answered, checkpoint.reached, checkpoint.done) = try finish(
            orders, begun, ended)
        checkpoint.begun = begun.compactMap { effects[$0.number]?.told }
        checkpoint.ended = ended
        for (number, state) in checkpoint.copies { try tell(state, to: number) }
        if let account = checkpoint.account { take(account) }
        // Before it has taken over the state and the effects of the last checkpoint, it has only those of a new instance.
        if orders < preludeCount { (checkpoint.state, checkpoint.effects) = (nil, counts) }
        counts = checkpoint.effects
        if let state = checkpoint.state { take(restored: state) }
    }

    /// Lets the worker take over a state that another run or another instance has left, before it is started.
    ///
    /// Another process is given it instead, where the one that runs dies before it has answered.
    package mutating func restore(_ state: VersionedState) {
        given = state
        addAhead(.restore) { $0.put(state) }
    }

    /// Takes the answer of a process to a state.
    ///
    /// - Returns: whether it is the answer to `restore`; false for the state of the process before.
    package mutating func take(answer state: Result<Value, CodingFailure>) -> Bool {
        let isGiven = !owesRestored && given != nil
        owesRestored = false
        if isGiven { given = nil }
        if case .success(let value) = state { take(restored: value) }
        return isGiven
    }

    /// Takes the state as the worker has it now; the next process begins with it.
    package mutating func take(restored value: Value) {
        state = VersionedState(version: stateVersion, value: value)
    }

    /// Takes note of a checkpoint.
    ///
    /// - Parameter orders: how many orders this process has carried out.
    /// - Returns: what stands in the log for the actions that have come to their end, and for those that are answered and have effects
    ///   that have not ended; the number of the last action that is done, 0 for none; and how many orders are done that are awaited.
    /// - Throws: a number that no honest worker tells.
    package mutating func finish(
        _ orders: UInt64, _ begun: [(number: UInt64, sequence: UInt64, value: Value)], _ ended: [UInt64]
    )
        throws(FrameFailure) -> (finished: [UInt64?], answered: [UInt64], reached: UInt64, done: Int)
    {
        let number = base + (orders > preludeCount ? orders - preludeCount : 0)
        guard number >= kept.last else { throw .badNumber("a number of orders") }
        carriedOut = orders
        let new = begun.count { effects[$0.number] == nil }
        guard effects.count + new <= Self.mostEffects else { throw .badNumber("a number of effects") }
        var open: [UInt64: Int] = [:]
        var numbers: Set<UInt64> = []
        for effect in begun {
            let known = effects[effect.number]
            // One that begins again in another process is known, and belongs to the same action.
            guard numbers.insert(effect.number).inserted,
                known.map({ $0.sequence == effect.sequence }) ?? true
            else { throw .badNumber("an effect") }
            effects[effect.number] = OpenEffect(
                sequence: effect.sequence, value: effect.value,
                told: TakenCheckpoint.BegunEffect(effect.number, after: effect.sequence, effect.value),
                deaths: known?.deaths ?? 0)
            lastEffect = max(lastEffect, effect.number)
            if known == nil { open[effect.sequence, default: 0] += 1 }
        }
        var (finished, answered): ([UInt64?], [UInt64]) = ([], [])
        var (reached, done): (UInt64, Int) = (0, 0)
        let needed = try kept.finish(through: number) { order, logged, sequence in
            switch order {
            case .start: hasStarted = true
            case .stopping: hasStopped = true
            case .gate: if !gates.isEmpty { gate = gates.removeFirst() }
            default: break
            }
            reached = max(reached, sequence)
            guard order.isAwaited else { return false }
            done += 1
            if !open.isEmpty, sequence > 0, open[sequence] != nil { return true }
            finished.append(logged)
            return false
        }
        for action in needed {
            self.open[action.sequence] = (action, open.removeValue(forKey: action.sequence) ?? 0)
            if let logged = action.logged { answered.append(logged) }
        }
        for (sequence, count) in open { self.open[sequence]?.count += count }
        for number in ended {
            guard let effect = effects.removeValue(forKey: number) else {
                throw .badNumber("an ended effect")
            }
            if endEffect(of: effect.sequence) { finished.append(nil) }
        }
        return (finished, answered, reached, done)
    }

    /// Takes note that one effect of an action is over; true where that was the last one, and nothing but its effects has stood for the action.
    private mutating func endEffect(of sequence: UInt64) -> Bool {
        guard var left = open[sequence] else { return false }
        left.count -= 1
        open[sequence] = left.count > 0 ? left : nil
        return left.count == 0
    }

    /// Effects that do not begin in another process: people are told that they were interrupted, or the gate has closed and ended them.
    package struct Lapsed {
        /// One of them.
        package struct Effect {
            /// Its number, and that of its action.
            package let number: UInt64, sequence: UInt64
            /// Whether nothing stands for its action in the log.
            package let isUnlogged: Bool
        }

        /// Those of which people are told, in the order of their beginning.
        package var interrupted: [Effect] = []
        /// One nil for each action that has come to its end with them.
        package var finished: [UInt64?] = []
        /// The numbers of all.
        package var ended: [UInt64] = []
    }

    /// Takes out the effects that do not begin in another process; called when one has ended, before the next one is given those that do.
    package mutating func takeLapsed() -> Lapsed {
        var lapsed = Lapsed()
        // The instance that took over has them.
        guard !isReplaced else { return lapsed }
        let areEnded = kept.endsEffects
        for (number, effect) in effects.sorted(by: { $0.key < $1.key })
        where areEnded || effect.told.recovery != .again {
            effects[number] = nil
            guard let action = open[effect.sequence]?.action else { continue }
            lapsed.ended.append(number)
            if !areEnded {
                lapsed.interrupted.append(
                    Lapsed.Effect(
                        number: number, sequence: effect.sequence, isUnlogged: action.logged == nil))
            }
            if endEffect(of: effect.sequence) { lapsed.finished.append(nil) }
        }
        return lapsed
    }

    /// Lets a wait end where there is more room than now.
    mutating func note(_ room: inout RingRoom) {
        guard let writer = writer.take() else { return }
        room.note(writer)
        self.writer = consume writer
    }

    /// The actions that nothing stands for in a log and that are not done, or have effects that have not ended, with those; in order of their
    /// numbers.
    package var unfinished: [(action: KeptAction, effects: [TakenCheckpoint.BegunEffect])] {
        guard !kept.endsEffects else {
            return kept.lastingActions.filter { $0.logged == nil }.map { ($0, []) }
        }
        var open: [UInt64: [TakenCheckpoint.BegunEffect]] = [:]
        for (_, effect) in effects.sorted(by: { $0.key < $1.key }) {
            open[effect.sequence, default: []].append(effect.told)
        }
        let answered = self.open.values.map { (action: $0.action, effects: open[$0.action.sequence] ?? []) }
        return (answered + kept.actions.map { ($0, []) }).filter { $0.action.logged == nil }
            .sorted { $0.action.sequence < $1.action.sequence }
    }

    /// Lets an action begin nothing in any process any more, and gives it; nil where it is not known.
    ///
    /// - Returns: also one nil if it is done and only effects of it were left, and their numbers.
    package mutating func leaveOut(_ sequence: UInt64) -> (
        action: KeptAction, finished: [UInt64?], ended: [UInt64]
    )? {
        if let action = kept.skip(sequence) { return (action, [], []) }
        guard let action = open.removeValue(forKey: sequence)?.action else { return nil }
        let ended = effects.filter { $0.value.sequence == sequence }.keys.sorted()
        for number in ended { effects[number] = nil }
        return (action, [nil], ended)
    }

    /// Blames the effects that are open for a death, since nothing tells which of them it was.
    ///
    /// - Returns: the action of an effect, once one was blamed so often; nil before. It is the youngest that was, since those before it
    ///   have lived with each other longer, or was all but once: the first death may have come before this side knew of it.
    package mutating func blameEffects(atMost limit: Int) -> UInt64? {
        suspectEffects(atMost: limit).flatMap { $0.isEnough ? $0.sequence : nil }
    }

    /// The same where effects of several instances may be to blame, of which the youngest is left out.
    ///
    /// - Returns: the action of the youngest effect that may be, and whether one of this instance was blamed so often.
    package mutating func suspectEffects(atMost limit: Int) -> (sequence: UInt64, isEnough: Bool)? {
        // What a gate has ended is not left out.
        guard !kept.endsEffects else { return nil }
        for number in effects.keys { effects[number]?.deaths += 1 }
        // One that does not begin again ends no other process.
        let suspects = effects.filter { $0.value.told.recovery == .again && $0.value.deaths >= limit - 1 }
        let isEnough = suspects.values.contains { $0.deaths >= limit }
        return suspects.max { $0.key < $1.key }.map {
            ($0.value.sequence, isEnough)
        }
    }

    /// Removes all that is kept; actions that are done and have effects that have not ended stay, for the instance that comes next.
    ///
    /// - Returns: the actions that are not done, what stands in the log for all of them that was waited for, and where the instance stands
    ///   without them; nil for no action.
    package mutating func giveUp() -> (actions: [KeptAction], logged: [UInt64?], standing: Standing?) {
        defer { (copies, counts, gates) = ([:], WorkerCounts(), []) }
        for copy in copies.values { copy.tell(state?.value ?? .null) }
        if kept.endsEffects { endEffects() }
        let standing = kept.standing
        let (actions, logged) = kept.removeAll()
        return (actions, logged, standing)
    }

    /// Lets all effects end, because the gate has closed and no process is left to end them.
    mutating func endEffects() { (effects, open) = ([:], [:]) }

    /// So many effects a worker may have that have not ended.
    private static let mostEffects = 1 << 20

    /// What the keys of effects are made of, as the host's recorder does it.
    package struct Keys {
        /// The name of the journal, or of the run.
        let name: String
        /// The epoch of the journal.
        let epoch: UInt64

        /// Names what a journal with a name begins in an epoch.
        package init(name: String, epoch: UInt64) { (self.name, self.epoch) = (name, epoch) }
    }

    /// Writes what an order about the gate says.
    package static func write(_ gate: GateState, to frame: inout FrameWriter) {
        frame.put(gate == .active)
    }

    /// Writes what an order to start says.
    ///
    /// - Parameter last: the highest number of an effect that is known.
    package static func write(
        _ keys: Keys, _ effects: [Value], after last: UInt64, to frame: inout FrameWriter
    ) {
        frame.put(keys.name)
        frame.put(keys.epoch)
        frame.put(last)
        frame.put(UInt32(effects.count))
        for effect in effects { frame.put(effect) }
    }
}
