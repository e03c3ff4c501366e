// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseRuntime
internal import GatehouseSDK
private import Synchronization

/// A partition's unfinished work: inputs still in progress, and running effects.
///
/// The recorder of the partition's host reports to it. Callable from any thread.
final class CheckpointLog: Sendable {
    /// An input still in progress, because an interceptor holds it.
    struct OpenInput: Sendable {
        /// The number among the partition's inputs.
        let number: UInt64
        /// The action.
        let action: AnyAction
    }

    /// The state guarded by the lock.
    private struct State {
        /// The inputs, in order of arrival.
        var inputs: [OpenInput] = []
        /// The effects, by number.
        var effects: [UInt64: JournalEffect] = [:]
        /// Increases with each change of the effects.
        var version = 0
    }

    /// The unfinished work.
    private let state = Mutex(State())
    /// Whether the recorder has something that it has not handed over.
    private let behind = Atomic(false)
    /// The buffers of the recorder's batches.
    let buffers = JournalBuffers()

    /// Records an input about to be dispatched.
    func begin(_ number: UInt64, _ action: AnyAction) {
        state.withLock { $0.inputs.append(OpenInput(number: number, action: action)) }
    }

    /// Records that the recorder has something to hand over.
    func fallBehind() { behind.store(true, ordering: .releasing) }

    /// Records that the recorder is about to hand over everything.
    func catchUp() { behind.store(false, ordering: .releasing) }

    /// Whether the recorder has something that it has not handed over, such as the end of an effect.
    var isBehind: Bool { behind.load(ordering: .acquiring) }

    /// Takes a batch from the recorder.
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

    /// The unfinished work, with the version of the list of effects.
    var open: (inputs: [OpenInput], effects: [JournalEffect], version: Int) {
        state.withLock { ($0.inputs, $0.effects.values.sorted { $0.number < $1.number }, $0.version) }
    }
}
