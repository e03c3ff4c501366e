// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
package import GatehouseSDK
internal import GatehouseSupport

// Actions that come from inside the process, and are waited for.
extension Host {
    /// So many lines are taken from one posted action before the others, and the inputs, have their turn.
    private static let postedLinesAtOnce = 1_024

    /// Waits until an action is processed with everything that it leads to synchronously; callable from any task.
    ///
    /// It is processed while a run goes on, like the lines of an input.
    /// - Throws: when the run is over before.
    func post(_ action: AnyAction, from source: ActionSource) async throws(HostIngress.Failure) {
        _ = try await store.dependencies.posted.post(.action(action), from: source)
    }

    /// Processes what was brought so far, of lines as many as have their turn; called on the thread that dispatches, outside of the
    /// drain.
    package func processPosted() {
        let inbox = store.dependencies.posted
        var actions = inbox.take()
        guard !actions.isEmpty else { return }
        let objections = queue.withExclusiveAccess { actions.map { $0.objection() } }
        // Lines are held back like those of inputs. A single action is not: the effect that brings it may be one that is finishing.
        let isHeld = queue.activity.finishing > Self.maximumEffects || store.inputHold.holds
        let before = actions
        for (place, objection) in zip(actions.indices, objections) {
            // What has begun goes on behind a gate that has closed meanwhile.
            guard objection == nil || actions[place].receipt.lines > 0 else { continue }
            take(&actions[place], isHeld: isHeld)
        }
        do throws(IngressError) {
            try admission.dispatchTaken(to: store)
            try admission.finish()
        } catch {
            // The run ends for the same reason; see `HostJournal.onFailure`. What this turn has brought is not committed.
            for posted in before { posted.end(.ended) }
            return
        }
        recount(&actions, since: before)
        settle()
        var left: [PostedActions.PostedAction] = []
        for (posted, objection) in zip(actions, objections) {
            if posted.isRead {
                posted.answer()
            } else if posted.receipt.lines == 0, let objection {
                posted.end(.refused(objection))
            } else {
                left.append(posted)
            }
        }
        inbox.keep(left, isReady: !isHeld)
    }

    /// Counts those actions as duplicates that the admission had taken in this turn before it knew that.
    private func recount(
        _ actions: inout [PostedActions.PostedAction], since before: [PostedActions.PostedAction]
    ) {
        let duplicates = admission.takeDuplicates()
        guard !duplicates.isEmpty else { return }
        var end = 0
        for place in actions.indices {
            let start = end
            end += actions[place].receipt.accepted - before[place].receipt.accepted
            let count = duplicates.count { (start..<end).contains($0) }
            actions[place].receipt.accepted -= count
            actions[place].receipt.duplicates += count
        }
    }

    /// Takes an action, or the lines that have their turn: by the admission of the host.
    private func take(_ posted: inout PostedActions.PostedAction, isHeld: Bool) {
        switch posted.content {
        case .action(let action):
            posted.receipt.lines = 1
            if admission.take(action, nil, from: posted.source, to: store) {
                posted.receipt.accepted = 1
            } else {
                posted.receipt.duplicates = 1
            }
        case .lines(var lines):
            guard !isHeld, !admission.isFull else { return }
            progress.flightRecorder.know(posted.source, isReadAgain: false)
            var left = Self.postedLinesAtOnce
            lines.read(longest: ingress.maximumLineBytes) { event in
                take(event, of: &posted)
                left &-= 1
                // While an effect's thread drains, dispatching only queues.
                if left & 63 == 0 { queue.withExclusiveAccess {} }
                return left > 0 && !admission.isFull
            }
            posted.content = .lines(lines)
        }
    }

    /// Takes one line of a posted action.
    private func take(_ event: LineEvent, of posted: inout PostedActions.PostedAction) {
        posted.receipt.lines += 1
        switch event {
        case .line(let line):
            switch postedLines.take(
                posted.receipt.lines == 1 ? line.withoutByteOrderMark : line,
                for: posted.source.info ?? "", mayBring: posted.mayBring)
            {
            case .action(let action), .hostAction(let action):
                if let reason = posted.refusal?(action.type) {
                    return refuse(action, of: &posted, at: line.number, because: reason)
                }
                let bytes = unsafe line.bytes.count > ActionText.longestReadWhole ? nil : line.bytes
                let text = unsafe ActionText(
                    bytes: bytes ?? UnsafeRawBufferPointer(start: nil, count: 0), isPayload: false)
                if admission.take(action, text, from: posted.source.at(line: UInt(line.number)), to: store) {
                    posted.receipt.accepted += 1
                } else {
                    posted.receipt.duplicates += 1
                }
            case .refused(let action, let reason):
                refuse(action, of: &posted, at: line.number, because: reason)
            case .rejected(let rejection):
                posted.refuse(rejection.line, rejection.column, rejection.reason.description)
            case .blank: break
            }
        case .tooLong(let line, let bytes):
            let reason = ActionRejection.Reason.tooLong(bytes: bytes, limit: ingress.maximumLineBytes)
            posted.refuse(line, nil, reason.description)
        case .interrupted, .dry, .end: break
        }
    }

    /// Tells why an action of a posted action may not come in, and keeps it if the configuration asks for it.
    private func refuse(
        _ action: AnyAction, of posted: inout PostedActions.PostedAction, at line: Int, because reason: String
    ) {
        store.dependencies.letters.keep(
            action, from: posted.source.at(line: UInt(line)), because: reason, by: ingress)
        posted.refuse(line, nil, "\(action.type.name): \(reason)")
    }

    /// What is idle, and wakes who waits, once all that was dispatched is processed, with what it led to synchronously.
    package func rest() -> Activity {
        let rest = Activity()
        rest.onIdle { [idle] in idle.wake() }
        rest.begin(.foreground)
        rest.end(.foreground, atRestOf: queue)
        return rest
    }

    /// Waits until all that was dispatched is processed, with what it led to synchronously.
    package func settle() {
        let rest = rest()
        guard !rest.isIdle else { return }
        while !rest.isIdle { idle.wait() }
        // What woke this thread meanwhile may have been for another wait.
        idle.wake()
    }
}

extension PostedActions.PostedAction {
    /// Counts a line that is not taken, and tells why if it is one of the first.
    fileprivate mutating func refuse(_ line: Int, _ column: Int?, _ reason: String) {
        receipt.refused += 1
        guard receipt.refusals.count < HostIngress.Receipt.mostRefusals else { return }
        receipt.refusals.append(.init(line: line, column: column, reason: reason))
    }
}
