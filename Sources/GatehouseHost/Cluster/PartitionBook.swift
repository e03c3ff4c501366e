// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Synchronization

/// What a partition has begun and not finished: inputs whose pass is not over, and effects that are running.
///
/// The recorder of the partition's host tells it what is done. Callable from any thread.
final class PartitionBook: Sendable {
    /// An input whose pass is not over, because an interceptor has not let it pass yet.
    struct OpenInput: Sendable {
        /// Its number among the partition's inputs.
        let number: UInt64
        /// The action.
        let action: AnyAction
    }

    /// What the lock guards.
    private struct State {
        /// In the order in which they came.
        var inputs: [OpenInput] = []
        /// By their numbers.
        var effects: [UInt64: JournalEffect] = [:]
        /// Grows with each change of the effects.
        var version = 0
    }

    /// What is open.
    private let state = Mutex(State())
    /// Whether the recorder has something that it has not handed over.
    private let behind = Atomic(false)
    /// The memory of what the recorder hands over.
    let buffers = JournalBuffers()

    /// Nothing begun.
    init() {}

    /// Takes note of an input that is dispatched next.
    func begin(_ number: UInt64, _ action: AnyAction) {
        state.withLock { $0.inputs.append(OpenInput(number: number, action: action)) }
    }

    /// Takes note that the recorder has something to hand over.
    func fallBehind() { behind.store(true, ordering: .releasing) }

    /// The recorder hands over what it has; called before it does.
    func catchUp() { behind.store(false, ordering: .releasing) }

    /// Whether the recorder has something that it has not handed over, such as the end of an effect.
    var isBehind: Bool { behind.load(ordering: .acquiring) }

    /// Takes note of what the recorder hands over.
    func take(_ batch: consuming JournalBatch) {
        let (done, begun, ended) = (Set(batch.done), batch.running, batch.ended)
        state.withLock { state in
            if !done.isEmpty { state.inputs.removeAll { done.contains($0.number) } }
            for effect in begun { state.effects[effect.number] = effect }
            for number in ended { state.effects[number] = nil }
            if !begun.isEmpty || !ended.isEmpty { state.version += 1 }
        }
        buffers.give(batch)
    }

    /// The version of the list of effects.
    var version: Int { state.withLock { $0.version } }

    /// What is open, the effects with the version of the list.
    var open: (inputs: [OpenInput], effects: [JournalEffect], version: Int) {
        state.withLock { ($0.inputs, $0.effects.values.sorted { $0.number < $1.number }, $0.version) }
    }
}
