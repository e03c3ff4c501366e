// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// Lets a run stand still between two rounds of its inputs, so that another process can go on where it stands.
///
/// Nothing is read then, nothing is in hand, and no pass begins: what effects emit waits in the mail.
package final class Standstill: Sendable {
    /// What becomes of a run that stood still.
    package enum Outcome {
        /// It goes on as if nothing had happened.
        case resumed
        /// Another process goes on; what instances still bring is taken by this admission.
        case handedOver(any Admission)
    }

    /// What somebody asks for.
    fileprivate struct Request {
        /// Called in the drain while the run stands still, with the connections, files and pipes as they are.
        let body: @Sendable ([HandedConnection]) -> Outcome
        /// Called instead where the run cannot stand still, with the reason.
        let refused: @Sendable (String) -> Void
    }

    /// What is asked for; nil for nothing.
    private let request = Mutex<Request?>(nil)
    /// Whether somebody asks.
    private let flag = Atomic(false)
    /// Wakes the thread that reads.
    private let attention: WakePipe

    /// A standstill that nobody has asked for, of a thread that waits at a pipe.
    init(waking attention: WakePipe) { self.attention = attention }

    /// Whether somebody asks for a standstill.
    var isAsked: Bool { flag.load(ordering: .relaxed) }

    /// Has a body called in the drain while the run stands still; callable from any thread, by one at a time.
    ///
    /// - Parameter refused: called instead where the run cannot stand still, with the reason, as a sentence without an end mark.
    package func ask(
        _ body: @escaping @Sendable ([HandedConnection]) -> Outcome,
        orElse refused: @escaping @Sendable (String) -> Void
    ) {
        request.withLock { $0 = Request(body: body, refused: refused) }
        attention.wake { flag.store(true, ordering: .releasing) }
    }

    /// Takes back a request that was not heard; returns whether there was one.
    package func withdraw() -> Bool { take() != nil }

    /// Takes the request.
    fileprivate func take() -> Request? {
        request.withLock { request in
            flag.store(false, ordering: .relaxed)
            return request.take()
        }
    }
}

extension Host {
    /// Stands still for whoever asks; called by the thread that reads, between two rounds.
    ///
    /// All that followed from what came before is done by then, and settled: it is in the next batch of the journal.
    ///
    /// - Parameters:
    ///   - turns: the inputs; nil where none take turns.
    ///   - stream: the file or pipe that is read alone; nil for none.
    /// - Returns: whether another process goes on, so that this run is over.
    func standStill(_ turns: InputTurns?, reading stream: HandedConnection? = nil) -> Bool {
        guard let request = standstill.take() else { return false }
        turns?.hold()
        if let successor = successor(for: request, turns, reading: stream) {
            turns?.leave()
            admission = successor
            isHandedOver = true
        } else {
            turns?.goOn()
        }
        return isHandedOver
    }

    /// Lets whoever asks do what there is to do while the run stands still; returns what takes actions from here on, nil where the run
    /// goes on.
    private func successor(
        for request: Standstill.Request, _ turns: InputTurns?, reading stream: HandedConnection?
    ) -> (any Admission)? {
        do throws(DrainBusy) {
            // Other work that waits for a rest comes first, such as the ends of effects. The thread that reads sleeps meanwhile,
            // whichever one drains.
            while !(try store.between(whenIdle: true) { [queue] in queue.isSettled }) {}
            return try store.between(whenIdle: true) { [self] in
                // Nobody should take this for a hang.
                let endLongWork = progress.flightRecorder.beginLongWork(.seconds(600))
                defer { endLongWork() }
                store.recorder?.catchUp()
                if let unsaved = turns?.savePlaces() {
                    request.refused(unsaved)
                    return nil
                }
                let connections = turns?.handed ?? [stream].compactMap(\.self)
                guard case .handedOver(let successor) = request.body(connections) else { return nil }
                handOver()
                return successor
            }
        } catch {
            request.refused("\(error)")
            return nil
        }
    }

    /// Leaves everything to the other process, but for what clients of instances have under way; called in the drain.
    private func handOver() {
        store.dependencies.listeners.handOver()
        // A member of a cluster ends as ever: nothing records the effects of its own instances.
        guard journal != nil else { return }
        // What effects still emit is for nobody: the other process begins them again, by their records.
        store.handOver()
        generation.cancelEffects()
        generation.stop()
        for instance in generation.instances { forwardOutputs(of: instance.outlet) }
    }

    /// Brings to the process that goes on what an instance emits for its clients; called in the drain.
    ///
    /// That is what follows from no action, no effect, no start and no end: the other process does all these again, or has done them.
    private func forwardOutputs(of outlet: InstanceOutput) {
        outlet.divert { [weak queue, posted = store.dependencies.posted, id = outlet.id] output in
            guard queue?.mark == 0 else { return }
            posted.bring(output.action, from: output.dispatcher.emitted(by: id)) { _ in }
        }
    }

    /// Finishes what clients of instances have under way, by the process that goes on, for a limited time.
    func finishHandedOver(within grace: Duration) {
        let end = ContinuousClock.now.advanced(by: grace)
        while !queue.activity.isIdle {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { break }
            idle.wait(atMost: Int32(clamping: Int((left / .milliseconds(1)).rounded(.up))))
            processPosted()
        }
        processPosted()
        queue.withExclusiveAccess { generation.cancelEffects() }
    }
}
