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

    /// The one who asks for it, called on the thread that reads, with the connections, files and pipes as they are; nil for nobody.
    private let request = Mutex<(@Sendable ([HandedConnection]) -> Outcome)?>(nil)
    /// Whether somebody asks.
    private let flag = Atomic(false)
    /// Wakes the thread that reads.
    private let attention: WakePipe

    /// A standstill that nobody has asked for, of a thread that waits at a pipe.
    init(waking attention: WakePipe) { self.attention = attention }

    /// Whether somebody asks for a standstill.
    var isAsked: Bool { flag.load(ordering: .relaxed) }

    /// Has a body called while the run stands still; callable from any thread, by one at a time.
    package func ask(_ body: @escaping @Sendable ([HandedConnection]) -> Outcome) {
        request.withLock { $0 = body }
        attention.wake { flag.store(true, ordering: .releasing) }
    }

    /// Takes back a request that was not heard; returns whether there was one.
    package func withdraw() -> Bool { take() != nil }

    /// Takes the request.
    fileprivate func take() -> (@Sendable ([HandedConnection]) -> Outcome)? {
        request.withLock { request in
            flag.store(false, ordering: .relaxed)
            return request.take()
        }
    }
}

extension Host {
    /// Stands still for whoever asks; called by the thread that reads, between two rounds.
    ///
    /// - Parameters:
    ///   - turns: the inputs; nil where none take turns.
    ///   - stream: the file or pipe that is read alone; nil for none.
    /// - Returns: whether another process goes on, so that this run is over.
    func standStill(_ turns: InputTurns?, reading stream: HandedConnection? = nil) -> Bool {
        guard let body = standstill.take() else { return false }
        turns?.hold()
        settle()
        turns?.savePlaces()
        let connections = turns?.handed ?? [stream].compactMap(\.self)
        let successor: (any Admission)? = queue.withExclusiveAccess {
            // Nobody should take this for a hang.
            let endLongWork = progress.flightRecorder.beginLongWork(.seconds(600))
            defer { endLongWork() }
            guard case .handedOver(let successor) = body(connections) else { return nil }
            store.dependencies.listeners.handOver()
            // A member of a cluster ends as ever: nothing records the effects of its own instances.
            guard journal != nil else { return successor }
            // What effects still emit is for nobody: the other process begins them again, by their records.
            queue.close()
            generation.cancelEffects()
            generation.stop()
            for instance in generation.instances { forwardOutputs(of: instance.outlet) }
            return successor
        }
        guard let successor else {
            turns?.goOn()
            return false
        }
        turns?.leave()
        admission = successor
        isHandedOver = true
        return true
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
