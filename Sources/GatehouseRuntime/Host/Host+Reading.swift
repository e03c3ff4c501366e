// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

// How lines become actions in the queue, from one input or from many.
extension Host {
    /// Why a turn of an input is over.
    private enum TurnEnd {
        /// There may be more at hand.
        case more
        /// There is nothing more for now.
        case dry
        /// Somebody woke the thread.
        case interrupted
        /// The input is finished.
        case end
        /// The run reads nothing more, because of what the input brought.
        case enough
    }

    /// So many lines are taken from one input before the others have their turn.
    private static let linesAtOnce = 1_024

    // MARK: - One input

    /// Reads one file or pipe to its end, on the calling thread and without another one.
    func readAlone(
        _ descriptor: Int32, _ name: String, _ rules: InputRules?, _ terms: Terms, _ summary: inout Summary
    ) throws(IngressError) {
        var taker = ActionTaker(
            ingress, for: rules, reports: reports, letters: core.dependencies.letters)
        var input = ActionInput(
            descriptor: descriptor, name: name, maximumLineBytes: ingress.maximumLineBytes,
            wakeDescriptor: idle.descriptor, onWait: terms.onWait)
        while case .interrupted = try read(&input, atMost: .max, &taker, terms, &summary) {
            idle.clear()
            processPosted()
        }
    }

    /// Dispatches what an input has at hand, as long as its turn lasts, and counts it.
    private func read(
        _ input: inout ActionInput, atMost most: Int, _ taker: inout ActionTaker, _ terms: Terms,
        _ summary: inout Summary
    ) throws(IngressError) -> TurnEnd {
        queue.withExclusiveAccess { generation.isReading(input.source) }
        progress.flightRecorder.know(input.source, isReadAgain: input.isReadAgain)
        let progress = progress
        let lines = summary.lines - input.lines
        let blank = summary.blank - input.blank
        let rejected = summary.rejected - input.rejected
        let refused = summary.refused - input.refused
        defer {
            summary.lines = lines + input.lines
            summary.blank = blank + input.blank
            summary.rejected = rejected + input.rejected
            summary.refused = refused + input.refused
        }
        var left = most
        while left > 0 {
            if let stop, stop.isAsked { input.stop() }
            switch try input.next(&taker) {
            case .action(let action, let text):
                progress.note(lines: lines + input.lines, rejected: rejected + input.rejected)
                let source = input.source
                if !setAside.places.isEmpty, isSetAside(action, from: source) {
                    break
                } else if let journal, !journal.lets(action) {
                    try take(action, text, from: source, journal)
                } else if router != nil {
                    try keep(action, text, from: source, id: nil)
                } else {
                    core.dispatch(action, read: text, from: source)
                }
            case .nothing: progress.note(lines: lines + input.lines, rejected: rejected + input.rejected)
            case .interrupted: return .interrupted
            case .dry: return .dry
            case .end: return .end
            }
            // While an effect's thread drains, dispatching only queues: wait now and then for the queue to empty, or a fast
            // input would fill the memory.
            if input.lines & 63 == 0 {
                queue.withExclusiveAccess {}
                waitForRoom(terms.onWait)
                if input.lines & 1023 == 0 { terms.onLine?(lines + input.lines) }
            }
            if terms.isStrict, reports.badDataCount > 0 {
                summary.stoppedAtBadData = true
                return .enough
            }
            if rejected + refused + input.rejected + input.refused > terms.mostTurnedAway { return .enough }
            left &-= 1
        }
        return .more
    }

    /// Whether a line is not processed any more, because it has ended the host too often; says so, and keeps its action.
    private func isSetAside(_ action: AnyAction, from source: ActionSource) -> Bool {
        guard let reason = setAside.places["\(source.file):\(source.line)"] else { return false }
        lay(aside: action, from: source, because: reason)
        return true
    }

    /// Keeps an action as a dead letter that has ended the host too often.
    func lay(aside action: AnyAction, from source: ActionSource, because reason: String) {
        core.dependencies.letters.add(.setAside, action, from: source, instance: nil, reason: reason)
        reports.send(.setAside(source: source, type: action.type.name, reason: reason))
    }

    // MARK: - With a journal

    /// Takes an action that was read: dispatches it, or keeps it until it is committed; leaves it out where its writer has sent it
    /// before.
    private func take(
        _ action: AnyAction, _ text: ActionText, from source: ActionSource, _ journal: HostJournal
    ) throws(IngressError) {
        let id = journal.id(of: action)
        if let id, !journal.isNew(id) { return }
        guard journal.isStrict else {
            let source = id == nil ? source : journal.note(action, text, from: source, id: id)
            return core.dispatch(action, read: text, from: source)
        }
        try keep(action, text, from: source, id: id)
    }

    /// Whether what is read is kept, by a journal or a cluster, before anything is done with it.
    var keepsFirst: Bool { journal?.isStrict == true || router != nil }

    /// Puts an action that was read to those that are kept next.
    private func keep(_ action: AnyAction, _ text: ActionText, from source: ActionSource, id: String?)
        throws(IngressError)
    {
        accepted.add(action, text, from: source, id: id)
        if accepted.isFull() { try dispatchAccepted() }
    }

    /// Commits what was read and dispatches it; nothing is dispatched that is not committed.
    func dispatchAccepted() throws(IngressError) { try dispatch(&accepted) }

    /// Waits until a cluster has everything that was read for it, before anything of it is acknowledged.
    func finishKeeping() throws(IngressError) {
        do throws(ClusterFailure) {
            try router?.finish()
        } catch {
            throw .cluster(error)
        }
    }

    /// Puts a batch into the partitions; what is for the host itself is dispatched.
    private func dispatch(_ batch: inout AcceptedActions, into router: ClusterRouter) throws(IngressError) {
        do throws(ClusterFailure) {
            try router.append(&batch) { [core] action, source in core.dispatch(action, from: source) }
        } catch {
            throw .cluster(error)
        }
    }

    /// Commits a batch and dispatches it; nothing is dispatched that is not committed.
    package func dispatch(_ batch: inout AcceptedActions) throws(IngressError) {
        guard !batch.isEmpty else { return }
        if let router { return try dispatch(&batch, into: router) }
        guard let journal else { return }
        var number: UInt64
        do {
            number = try journal.commit(batch)
        } catch {
            throw .journal(error)
        }
        batch.takeAll { action, text, source in
            let source = source.caused(by: ActionCause(.input, number))
            number += 1
            core.dispatch(action, read: text, from: source)
        }
    }

    // MARK: - Several inputs

    /// Reads many inputs in turns until those that end have ended, if there are only such, or somebody asks to end.
    func readTogether(
        _ inputs: [Input], _ accounts: [InputAccount], _ terms: Terms, _ summary: inout Summary
    ) throws(IngressError) {
        let turns = InputTurns(
            inputs, accounts, ready: ready, maximumLineBytes: ingress.maximumLineBytes
        ) {
            [reports] in
            reports.send($0)
        }
        var taker = ActionTaker(ingress, reports: reports, letters: core.dependencies.letters)
        defer {
            // Places in files are remembered when what stands before them is done.
            settle()
            turns.close()
        }
        // A member of a cluster has something to do without inputs of its own.
        while !turns.areOver || inputs.isEmpty && router != nil, stop?.isAsked != true {
            processPosted()
            let round = turns.takeRound()
            if round.isEmpty {
                terms.onWait?(true)
                idle.wait()
                terms.onWait?(false)
            }
            guard try take(round, in: turns, &taker, terms, &summary) else { return }
        }
        // What was read is still processed.
        _ = try take(turns.all, atMost: .max, in: turns, &taker, terms, &summary)
    }

    /// Gives inputs their turns; returns whether the run goes on.
    ///
    /// With a strict journal all of them are read first, so that what they have brought is committed together.
    private func take(
        _ round: [OpenInput], atMost most: Int = linesAtOnce, in turns: InputTurns,
        _ taker: inout ActionTaker, _ terms: Terms, _ summary: inout Summary
    ) throws(IngressError) -> Bool {
        for group in keepsFirst ? [round] : round.map({ [$0] }) {
            var ends: [(OpenInput, TurnEnd)] = []
            for input in group {
                guard let end = try read(input, atMost: most, in: turns, &taker, terms, &summary) else {
                    continue
                }
                ends.append((input, end))
                if case .enough = end { break }
            }
            try dispatchAccepted()
            if group.contains(where: { $0.answers != nil || $0.file != nil }) { try finishKeeping() }
            for (input, end) in ends {
                guard finishTurn(of: input, at: end, in: turns) else { return false }
            }
        }
        return true
    }

    /// Remembers how far a file was read, now or after a while.
    private func keepPlace(in file: FollowedFile, of input: OpenInput) {
        guard let delay = file.note(input.lines) else { return }
        if delay <= .zero {
            settle()
            if let sentence = file.save() { reports.send(.lostInput(sentence)) }
        } else {
            let number = input.opened.number
            EventLoop.perform { [ready] in _ = LoopTimer(after: delay) { ready.add(.ready(number)) } }
        }
    }

    /// Reads what an input has at hand; nil for one that has no turn, because its writer does not take its answers.
    private func read(
        _ input: OpenInput, atMost most: Int, in turns: InputTurns,
        _ taker: inout ActionTaker, _ terms: Terms, _ summary: inout Summary
    ) throws(IngressError) -> TurnEnd? {
        if input.answers != nil {
            if case .blocked = input.send(), stop?.isAsked != true {
                input.waitForRoom()
                return nil
            }
            guard !input.isRead else {
                turns.end(input)
                return nil
            }
        }
        waitForRoom(terms.onWait)
        let end: TurnEnd
        do {
            if let rules = input.opened.account.rules {
                let own =
                    input.taker
                    ?? OwnTaker(
                        ActionTaker(
                            ingress, for: rules, reports: reports, letters: core.dependencies.letters))
                input.taker = own
                end = try read(&input.lines, atMost: most, &own.taker, terms, &summary)
            } else {
                end = try read(&input.lines, atMost: most, &taker, terms, &summary)
            }
        } catch {
            switch error {
            case .journal, .cluster: throw error
            default: break
            }
            guard case .connection = input.opened.kind else { throw error }
            reports.send(.lostInput(error.description))
            end = .end
        }
        return end
    }

    /// Ends the turn of an input whose lines are dispatched; returns whether the run goes on.
    private func finishTurn(of input: OpenInput, at end: TurnEnd, in turns: InputTurns) -> Bool {
        input.count()
        if input.answers != nil { settle() }
        let isAnswered = input.acknowledge()
        switch (end, isAnswered) {
        case (.enough, _): return false
        case (.end, .blocked):
            input.isRead = true
            input.waitForRoom()
        case (.end, _): if input.file == nil { turns.end(input) }
        case (_, .blocked): input.waitForRoom()
        case (.more, _), (.interrupted, _): turns.giveTurn(to: input)
        case (.dry, _):
            let hasMore = input.goOn(maximumLineBytes: ingress.maximumLineBytes) { reports.send($0) }
            if hasMore || input.rearm() { turns.giveTurn(to: input) }
        }
        if let file = input.file { keepPlace(in: file, of: input) }
        return true
    }
}
