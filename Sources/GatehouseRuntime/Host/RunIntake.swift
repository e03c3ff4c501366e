// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// Why a turn of an input is over.
package enum TurnEnd {
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

/// Reads the inputs of one run and gives their actions to the host's admission; belongs to the thread that reads.
package final class RunIntake {
    /// The host that runs.
    let host: Host
    /// What the run was told about itself.
    let terms: Host.Terms
    /// What the run has seen so far.
    var summary = Host.Summary()
    /// Takes the lines of inputs without rules of their own.
    private let common: OwnTaker

    /// So many lines are taken from one input before the others have their turn.
    private static let linesAtOnce = 1_024
    /// So many are taken from one that is read alone before somebody may ask for a standstill.
    private static let linesAlone = 1 << 14

    /// Creates the intake of a run that has read nothing.
    init(of host: Host, _ terms: Host.Terms) {
        self.host = host
        self.terms = terms
        common = OwnTaker(
            ActionTaker(host.ingress, reports: host.reports, letters: host.store.dependencies.letters))
    }

    // MARK: - Counting

    /// Returns the counts of everything that was read before, for an input that takes its turn.
    func begin(_ input: borrowing ActionInput) -> Host.Summary {
        var before = summary
        before.lines -= input.lines
        before.blank -= input.blank
        before.rejected -= input.rejected
        before.refused -= input.refused
        return before
    }

    /// Adds the counts of an input whose turn is over.
    func end(_ input: borrowing ActionInput, _ before: Host.Summary) {
        summary.lines = before.lines + input.lines
        summary.blank = before.blank + input.blank
        summary.rejected = before.rejected + input.rejected
        summary.refused = before.refused + input.refused
    }

    /// Waits for the queue to empty, and for room, now and then: while an effect's thread drains, dispatching only queues, and a
    /// fast input would fill the memory.
    ///
    /// - Parameter lines: the lines of all inputs so far.
    @inline(never)
    func pause(at lines: Int, of input: borrowing ActionInput) {
        host.queue.withExclusiveAccess {}
        host.waitForRoom(terms.onWait)
        if input.lines & 1023 == 0 { terms.onLine?(lines) }
    }

    // MARK: - One input

    /// Reads one file or pipe to its end, on the calling thread and without another one, or until another process goes on.
    ///
    /// - Parameter descriptor: nil where the process before has it, or has read it to its end.
    func readAlone(_ descriptor: Int32?, _ name: String, _ account: InputAccount) throws(IngressError) {
        let begun = host.handed.first
        host.handed = []
        defer { if let begun { Glibc.close(begun.descriptor) } }
        guard let descriptor = begun?.descriptor ?? descriptor else { return account.end() }
        var taker = ActionTaker(
            host.ingress, for: account.rules, reports: host.reports, letters: host.store.dependencies.letters)
        var input = ActionInput(
            descriptor: descriptor, name: name, on: host.readingTerms,
            wakeDescriptor: host.idle.descriptor, from: begun?.place, onWait: terms.onWait)
        while true {
            switch try host.admission.read(&input, atMost: Self.linesAlone, &taker, for: self) {
            case .interrupted:
                host.idle.clear()
                host.processPosted()
            case .more: break
            case .end: return account.end()
            case .dry, .enough: return
            }
            guard host.standstill.isAsked, host.stop?.isAsked != true else { continue }
            let stream = HandedConnection(stream: descriptor, named: name, number: 0, at: input.place)
            if host.standStill(nil, reading: stream) { return }
        }
    }

    // MARK: - Several inputs

    /// Reads many inputs in turns until those that end have ended, if there are only such, or somebody asks to end.
    ///
    /// Where actions are kept first, all inputs of a round are read before, so that what they have brought is kept together.
    func readTogether(_ inputs: [Input], _ accounts: [InputAccount]) throws(IngressError) {
        let turns = InputTurns(inputs, accounts, goingOnWith: host.handed, of: host)
        host.handed = []
        defer {
            // Places in files are remembered when the actions before them are done.
            host.settle()
            turns.close()
        }
        let admission = host.admission
        var isLast = false
        repeat {
            isLast =
                host.stop?.isAsked == true || turns.areOver && !(inputs.isEmpty && admission.servesOthers)
            if !isLast { host.processPosted() }
            if host.standstill.isAsked, !isLast, host.standStill(turns) { return }
            // What is at hand at the end is still processed.
            let round = isLast ? turns.all : turns.takeRound()
            if round.isEmpty, !isLast {
                terms.onWait?(true)
                host.idle.wait()
                terms.onWait?(false)
            }
            for group in admission.keepsFirst ? [round] : round.map({ [$0] }) {
                var ends: [(OpenInput, TurnEnd)] = []
                for input in group where mayRead(input, in: turns) {
                    let taker = taker(of: input)
                    let end: TurnEnd
                    do throws(IngressError) {
                        end = try admission.read(
                            &input.lines, atMost: isLast ? .max : Self.linesAtOnce, &taker.taker, for: self)
                    } catch {
                        end = try lose(input, error)
                    }
                    ends.append((input, end))
                    if case .enough = end { break }
                }
                try admission.dispatchTaken(to: host.store)
                if group.contains(where: { $0.answers != nil || $0.file != nil }) { try admission.finish() }
                for (input, end) in ends {
                    guard finishTurn(of: input, at: end, in: turns) else { return }
                }
            }
        } while !isLast
    }

    /// The taker of an input's lines.
    private func taker(of input: OpenInput) -> OwnTaker {
        guard let rules = input.opened.account.rules else { return common }
        let own =
            input.taker
            ?? OwnTaker(
                ActionTaker(
                    host.ingress, for: rules, reports: host.reports, letters: host.store.dependencies.letters)
            )
        input.taker = own
        return own
    }

    /// Whether an input has a turn: not one whose writer does not take its answers, nor one that is read to its end.
    private func mayRead(_ input: OpenInput, in turns: InputTurns) -> Bool {
        if input.answers != nil {
            if case .blocked = input.send(), host.stop?.isAsked != true {
                input.waitForRoom()
                return false
            }
            guard !input.isRead else {
                turns.end(input)
                return false
            }
        }
        host.waitForRoom(terms.onWait)
        return true
    }

    /// Ends a connection that cannot be read, with a report; any other failure ends the run.
    private func lose(_ input: OpenInput, _ error: IngressError) throws(IngressError) -> TurnEnd {
        switch error {
        case .journal, .cluster: throw error
        default: break
        }
        guard case .connection = input.opened.kind else { throw error }
        host.reports.send(.lostInput(error.description))
        return .end
    }

    /// Ends the turn of an input whose lines are dispatched; returns whether the run goes on.
    private func finishTurn(of input: OpenInput, at end: TurnEnd, in turns: InputTurns) -> Bool {
        input.count()
        if input.answers != nil { host.settle() }
        let isAnswered = input.acknowledge()
        switch (end, isAnswered) {
        case (.enough, _):
            // The run ends here; what came before is dispatched.
            if let file = input.file { _ = file.note(input.lines) }
            return false
        case (.end, .blocked):
            input.isRead = true
            input.waitForRoom()
        case (.end, _): if input.file == nil { turns.end(input) }
        case (_, .blocked): input.waitForRoom()
        case (.more, _), (.interrupted, _): turns.giveTurn(to: input)
        case (.dry, _):
            if input.goOn(on: host.readingTerms, host.reports) || input.rearm() { turns.giveTurn(to: input) }
        }
        if let file = input.file { keepPlace(in: file, of: input) }
        return true
    }

    /// Remembers how far a file was read, now or after a while.
    private func keepPlace(in file: FollowedFile, of input: OpenInput) {
        guard let delay = file.note(input.lines) else { return }
        if delay <= .zero {
            host.settle()
            if let sentence = file.saveTellingOnce() { host.reports.send(.lostInput(sentence)) }
        } else {
            let number = input.opened.number
            EventLoop.perform { [ready = host.ready] in
                _ = LoopTimer(after: delay) { ready.add(.ready(number)) }
            }
        }
    }
}
