// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehousePlan
import GatehouseRuntime
import GatehouseRuntimeTesting
import GatehouseSDK
import GatehouseSupport
import Synchronization

/// A drain in which a simulated host lets actions pass.
typealias SimulatedDrain = DrainQueue<NoBody>

/// One life of a host with a journal, on one thread: it opens the journal, recovers, and takes a turn whenever somebody says so.
///
/// Journal, recorder and recovery are the real ones. One instance reduces all actions, one or two others hear them, in workers or in the host,
/// and an action is dispatched as the drain does it.
final class SimulatedHost {
    /// What a host is made of.
    struct Terms {
        /// When what was accepted is on the disk.
        let mode: JournalMode
        /// The choices for the journal, without what belongs to one life.
        let options: JournalWriter.Options
        /// The folder of the journal.
        let folder: String
        /// What follows from deaths of workers.
        let rules: SuperviseConfiguration
    }

    /// How it is set up.
    let terms: Terms
    /// What it hands over.
    let tape: HostTape
    /// What becomes of that.
    let turns: JournalTurns
    /// The way there.
    let writer: JournalWriter
    /// Numbers actions and effects.
    let recorder: ActionRecorder
    /// Where actions pass.
    let drain = NoBody.drain()
    /// The names of inputs.
    let ids: JournalIDs
    /// The number of the generation.
    var generation = 1
    /// Inputs that were committed and not dispatched, in order.
    private var waiting: [(number: UInt64, action: SimulatedAction)] = []
    /// Effects that run in this process, in the order of their beginning.
    var effects: [JournalEffect] = []
    /// Those that wait for the end of a quarantine, or for the beginning.
    var inherited: [JournalEffect] = []
    /// Why the library is in quarantine, so that none of its code runs and its slice stands; nil where it is not.
    var quarantine: String?
    /// The instances that run in workers or in this process, in the order in which they hear an action.
    private(set) var clerks: [SimulatedClerk] = []
    /// Whether those of them that are in workers share a process.
    var isShared = false {
        didSet { unexplained = DeathCount() }
    }
    /// The deaths of a process that they share of which nobody knows whose doing they were.
    var unexplained = DeathCount()
    /// Whether the record of a generation waits for their state.
    var isRecordWaiting = false
    /// What actions say since a change that is to be taken back; nil without one.
    var tried: [Int]?
    /// What is planted; nil for nothing.
    let defect: HostSimulation.Defect?
    /// Who has ended the process; nil while nobody has.
    private(set) var culprit: FlightRecord?
    /// Ends the process.
    private let exit: () -> Void
    /// What each key of an effect has named, in all lives: the action that says the number.
    private(set) var keys: [String: Int]
    /// What actions follow from that come again with their input, by what those say, in all lives.
    var origins: [Int: ChainOrigin] = [:]
    /// What is wrong.
    var faults: [String] = []
    /// What it has met.
    var coverage = HostCoverage()

    /// Lets what is new be written at once.
    let haste = Haste()

    /// Opens the journal.
    ///
    /// - Parameters:
    ///   - keys: what keys of effects have named in the lives before.
    ///   - books: what became of the actions of clerk and scribe in the lives before.
    ///   - exit: ends the process.
    init(
        _ terms: Terms, _ tape: HostTape, keys: [String: Int], _ books: [ClerkBook],
        _ defect: HostSimulation.Defect?, exit: @escaping () -> Void
    ) throws(JournalFailure) {
        (self.terms, self.tape, self.keys, self.exit) = (terms, tape, keys, exit)
        self.defect = defect
        var options = terms.options
        options.mode = terms.mode
        options.onFailure = { failure in tape.with { $0.failures.append(failure) } }
        options.onDiagnostic = { diagnostic in tape.with { $0.diagnostics.append("\(diagnostic)") } }
        turns = try JournalTurns(folder: terms.folder, options)
        let writer = JournalWriter(turns, options)
        self.writer = writer
        do throws(JournalFailure) {
            ids = try writer.ids()
        } catch {
            turns.close()
            throw error
        }
        recorder = ActionRecorder(
            after: writer.start.sequence - 1, input: writer.start.input - 1,
            effect: UInt64(writer.epoch) << 32, name: writer.name, epoch: UInt64(writer.epoch),
            buffers: writer.buffers, notice: { [haste] in haste.body?() }
        ) { batch, onCommit in
            tape.submit(batch, to: writer, onCommit)
        }
        clerks = books.map { SimulatedClerk($0, in: self) }
    }

    /// What follows from deaths of workers.
    var rules: SuperviseConfiguration { terms.rules }

    /// Why nothing is written any more; nil while all is well.
    var failure: JournalFailure? { turns.failure }

    /// Whether nothing was found that is wrong.
    var isSound: Bool { faults.isEmpty && clerks.allSatisfy(\.book.faults.isEmpty) }

    /// Whether an instance hears nothing because its worker was given up.
    var isMissingWorkers: Bool { clerks.contains { $0.link?.isOut == true } }

    /// Whether the library is in quarantine.
    var isStanding: Bool { quarantine != nil }

    /// Whether there is nothing to do but to wait for writers.
    var isIdle: Bool {
        waiting.isEmpty && (effects.isEmpty || isStanding)
            && clerks.allSatisfy(\.isIdle)
    }

    /// Whether a snapshot or the record of a generation waits for the worker.
    var isCopying: Bool { clerks.contains { $0.link?.isCopying == true } }

    // MARK: - Turns of the drain

    /// Takes an action that has come in; false where its name has been there.
    func accept(_ action: SimulatedAction, isNamed: Bool) -> Bool {
        let name = isNamed ? action.name : nil
        if let name, !ids.insert(name) { return false }
        guard terms.mode == .strict || isNamed else {
            dispatch(action, number: nil)
            return true
        }
        let number = recorder.numbers(forInputs: 1)
        tape.with { $0.opened[number] = action.number }
        recorder.accept([JournalInput(number: number, source: Self.source, line: action.line, id: name)])
        if terms.mode == .strict {
            waiting.append((number, action))
        } else {
            dispatch(action, number: number)
        }
        return true
    }

    /// Hands over what is recorded.
    func handOver() { recorder.handOver() }

    /// Hands it over and writes it, as threads that are quick do in the midst of something.
    func hurry() {
        recorder.handOver()
        guard !isRecordWaiting, failure == nil else { return }
        let time = terms.options.clock()
        tape.with { $0.past.write(at: time) }
        guard turns.write(), failure == nil else { return }
        coverage.count("transactions in the midst of a move")
        let isStrict = terms.mode == .strict
        tape.with { $0.past.commit(isSynced: isStrict) }
    }

    /// Dispatches the inputs that were committed.
    func dispatchCommitted(upTo number: UInt64) {
        while let first = waiting.first, first.number <= number, culprit == nil {
            waiting.removeFirst()
            dispatch(first.action, number: first.number)
        }
    }

    /// Lets an action pass, with all that follows from it on the spot, and then what was left for the drain's rest.
    func dispatch(_ action: SimulatedAction, number: UInt64?) {
        drain.withExclusiveAccess {
            process(action, number: number)
            // Threads that are quick write what a gate ends before the drain is at rest.
            let movesGate = SimulatedAction.gateMove(by: action.number * SimulatedAction.places) != nil
            if movesGate, recorder.sequence % 2 == 0 { hurry() }
        }
    }

    /// Lets an action pass, in the drain.
    private func process(_ action: SimulatedAction, number: UInt64?) {
        guard isStanding || action.fatal != .handle else {
            return die(.handle, by: action.number, input: number)
        }
        var source = Self.source
        if let number { source = source.caused(by: ActionCause(.input, number)) }
        // What interceptors emit waits in the queue until the input has passed, or not.
        let other = Self.source.emitted(by: Self.interceptor)
            .caused(
                by: number.flatMap { defect == .lostInterceptions ? nil : ActionCause(.interception, $0) }
                    ?? .unknown)
        // In quarantine nobody decides.
        let handling = isStanding ? .pass : action.handling
        if handling != .pass { coverage.count("inputs that an interceptor stopped, or not alone let pass") }
        switch handling {
        case .pass: pass(action, from: source, isInput: number != nil)
        case .double:
            pass(action, from: source, isInput: number != nil, isIdle: false)
            pass(action, from: source, isVariant: true)
        case .announce:
            pass(action, from: source, isInput: number != nil, isIdle: false)
            pass(action, from: other, isVariant: true)
        case .stop, .replace:
            tape.with { $0.roots.append(action.number) }
            recorder.finish(source.cause, isIdle: handling == .stop)
            if handling == .replace { pass(action, from: other, isVariant: true) }
        }
    }

    /// Lets an action or a variant of it pass, with all that follows from it on the spot.
    ///
    /// - Parameters:
    ///   - isInput: whether it is recorded as the input that its cause names.
    ///   - isIdle: whether nothing waits that follows from that input.
    private func pass(
        _ action: SimulatedAction, from source: ActionSource, isVariant: Bool = false, isInput: Bool = false,
        isIdle: Bool = true
    ) {
        var source = source
        let followers = isStanding ? 0 : action.followers
        if isStanding { coverage.count("actions missed in quarantine") }
        for place in 0...followers {
            let isLast = place == followers
            let sequence = record(
                action.number * SimulatedAction.places + place + (isVariant ? SimulatedAction.variant : 0),
                from: source, isInput: place == 0 && isInput, endsInput: !isVariant, isIdle: isLast && isIdle
            ) { sequence in
                guard isLast, !isVariant, !isStanding else { return }
                for ordinal in 0..<action.effects { begin(ordinal, of: action, after: sequence) }
            }
            source = Self.source.emitted(by: SimulatedState.instance)
                .caused(by: ActionCause(.output, sequence))
        }
    }

    /// Lets the library end the process, which the flight recorder tells.
    private func die(_ step: PluginStep, by action: Int, input: UInt64?) {
        var record = FlightRecord(
            blame: .record, store: .host, sentence: "ledger handled a\(action)")
        (record.step, record.instance, record.plugin) = (step, SimulatedState.instance, "ledger")
        record.digest = SimulatedState.digest(tape.with { $0.state.form })
        record.type = "sim/act"
        record.input = input.map { InputOrigin(number: $0, place: nil) }
        culprit = record
        exit()
    }

    /// Reduces and records one action; gives its number.
    ///
    /// - Parameter endsInput: whether an input that is its cause is done with it.
    @discardableResult
    func record(
        _ told: Int, from source: ActionSource, isInput: Bool, endsInput: Bool = true, isIdle: Bool,
        _ handle: (UInt64) -> Void = { _ in }
    ) -> UInt64 {
        // What is new is written before an action or after it.
        let haste = exchange(&haste.body, with: nil)
        defer { self.haste.body = haste }
        let sequence = recorder.begin(source)
        handle(sequence)
        if ClerkAction.mayRecur(told) { checkOrigin(of: told, sequence) }
        let answers = clerks.compactMap { clerk in
            clerk.hear(told, as: sequence, from: source).map { (clerk: clerk, told: $0) }
        }
        tried?.append(told)
        tape.with { [isStanding] content in
            if !isStanding { content.state.reduce(told) }
            content.told.append(told)
            if told % SimulatedAction.places == 0 { content.roots.append(told / SimulatedAction.places) }
        }
        recorder.record(
            DispatchedAction(SimulatedAction.action(told), dispatcher: source), text: nil, isInput: isInput,
            time: nil)
        moveGates(after: sequence)
        recorder.finish(endsInput ? source.cause : .unknown, isIdle: isIdle && answers.isEmpty)
        for (index, answer) in answers.enumerated() {
            answer.clerk.record(
                answer.told, of: .output, after: sequence, isIdle: isIdle && index == answers.count - 1)
        }
        return sequence
    }

    /// Lets gates follow the state.
    ///
    /// - Parameter sequence: the action that may have moved them; 0 for none.
    func moveGates(after sequence: UInt64) {
        let closed = tape.with { $0.state.closed }
        drain.withExclusiveAccess {
            for clerk in clerks { clerk.moveGate(isOpen: !closed.contains(clerk.id), after: sequence) }
        }
    }

    /// Begins an effect of an action in hand.
    private func begin(_ ordinal: Int, of action: SimulatedAction, after sequence: UInt64) {
        let effect = recorder.begin(effectOf: SimulatedState.instance, after: sequence) {
            number, key, input in
            var effect = JournalEffect(
                number: number, instance: SimulatedState.instance, sequence: sequence,
                recovery: action.recovery, input: input, key: key,
                action: action.action(action.followers), source: Self.source)
            effect.ordinal = UInt32(ordinal)
            return effect
        }
        effects.append(effect)
        coverage.count("effects begun")
        name("\(effect.key)/\(ordinal)", after: action.number)
    }

    /// Compares what an action follows from with the time before, where it is dispatched again: the keys of effects are made of it. An input
    /// that was lost has another number when it is sent again.
    private func checkOrigin(of told: Int, _ sequence: UInt64) {
        let origin = recorder.origin(of: sequence)
        guard var known = origins.updateValue(origin, forKey: told) else { return }
        if known.input > 0, origin.input > 0 { known.input = origin.input }
        if known != origin { faults.append("\(told) follows from \(origin), and did from \(known)") }
    }

    /// Takes note of what a key names, which is the same in all lives.
    func name(_ key: String, after action: Int) {
        if let known = keys.updateValue(action, forKey: key), known != action {
            faults.append("the key \(key) has named an effect of a\(known), and now of a\(action)")
        }
    }

    /// Ends an effect that is under way, which sometimes emits an action before.
    func end(effectAt index: Int, emits: Bool) {
        let effect = effects[index]
        if let action = effect.action?.payload?["n"]?.intValue.map({
            SimulatedAction($0 / SimulatedAction.places)
        }),
            action.fatal == .perform
        {
            return die(.perform, by: action.number, input: effect.input == 0 ? nil : effect.input)
        }
        effects.remove(at: index)
        if emits { emit(7, by: effect) }
        recorder.end(effect: effect.number)
        coverage.count("effects ended")
    }

    /// Dispatches an action that an effect emits, or that tells of it; `place` is its last digit.
    func emit(_ place: Int, by effect: JournalEffect) {
        let source = Self.source.emitted(by: SimulatedState.instance)
            .caused(by: ActionCause(.effect, effect.sequence))
        let told = Int(truncatingIfNeeded: effect.number & 0xFFFF) * SimulatedAction.places + place
        record(told, from: source, isInput: false, isIdle: true)
    }

    /// Keeps a dead letter; gives its number.
    @discardableResult
    func bury(_ kind: DeadLetter.Kind) -> Int64 {
        let id = tape.with { content in
            content.nextLetter += 1
            let id = content.nextLetter
            content.past.append { moment in
                moment.letters.insert(id)
                moment.lastLetter = id
            }
            return id
        }
        var letter = DeadLetter(
            kind, type: "sim/act", action: Array("{}".utf8), from: nil, instance: nil, time: 0,
            reason: "letter \(id)")
        letter.id = id
        writer.bury(letter)
        coverage.count("dead letters")
        return id
    }

    /// Removes a dead letter.
    func remove(letter id: Int64) {
        writer.remove(deadLetters: [id])
        tape.with { content in content.past.append { $0.letters.remove(id) } }
    }

    /// The id of the instance that decides about what writers send.
    private static let interceptor = "guard"

    /// Where all actions come from.
    private static let source = ActionSource(file: "writers", function: "", line: 1, info: nil)
}
