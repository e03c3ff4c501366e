// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// One question to all partitions of a member at once, each in its drain; callable from any thread.
final class PartitionQuestion<Answer: Sendable>: Sendable {
    /// The answers so far.
    private struct State {
        /// The answers, by partition.
        var answers: [Int: Answer] = [:]
        /// The partitions that have not answered.
        var missing: [Int: ControlledStore]
    }

    /// The answers so far, and the partitions that have not answered.
    private let state: Mutex<State>
    /// Finishes when all have answered or one has refused.
    private let end = PendingAnswer<Result<Void, ControlError>>()

    /// Creates a question that has not been asked.
    init(to stores: [Int: ControlledStore]) { state = Mutex(State(missing: stores)) }

    /// Asks on one thread that may block, and waits no longer than a request waits for its turn in a drain.
    ///
    /// - Parameter body: called in the drain of each partition; a refusal from one is a refusal for all.
    /// - Returns: the answers, by partition, without those of partitions that have gone meanwhile.
    @EventLoop
    func ask(
        _ body: @escaping @Sendable (ControlledStore, Turn) throws(ControlError) -> Answer
    ) async throws(ControlError) -> [Int: Answer] {
        let stores = state.withLock { $0.missing }
        guard let patience = stores.values.first?.patience else { return [:] }
        let timer = LoopTimer(after: patience) { [self] in
            guard let slowest = state.withLock({ $0.missing.min { $0.key < $1.key }?.value }) else { return }
            end.finish(.failure(slowest.busy(hasBegun: false)))
        }
        BackgroundThread.perform { [self] in
            for (number, store) in stores {
                // A drain already at work comes to this by itself.
                store.core.queue.enqueue { [self] in
                    guard let turn = store.core.turn else { return take(nil, from: number) }
                    do throws(ControlError) {
                        take(try body(store, turn), from: number)
                    } catch {
                        end.finish(.failure(error))
                    }
                }
            }
        }
        let result = await end.value()
        timer.cancel()
        try result.get()
        return state.withLock { $0.answers }
    }

    /// Takes an answer; nil from a partition that has gone and has nothing more to say.
    func take(_ answer: Answer?, from number: Int) {
        let isOver = state.withLock { state in
            guard state.missing.removeValue(forKey: number) != nil else { return false }
            state.answers[number] = answer
            return state.missing.isEmpty
        }
        if isOver { end.finish(.success(())) }
    }
}
