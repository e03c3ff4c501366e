// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The admission of a worker's store: its actions come from the host, which keeps them, and all that is emitted goes there.
final class WorkerAdmission: Admission {
    let recorder: ActionRecorder?
    let elsewhere: (any OutputRoute)?

    /// The admission of a store that records and emits so.
    init(recorder: ActionRecorder, elsewhere: WorkerOutbox) {
        self.recorder = recorder
        self.elsewhere = elsewhere
    }

    var keepsFirst: Bool { false }
    var isFull: Bool { false }

    func take(
        _ action: consuming AnyAction, _ text: ActionText?, from source: ActionSource, to store: HostStore
    ) -> Bool {
        store.dispatch(action, from: source)
        return true
    }

    func dispatchTaken(to store: HostStore) {}
}
