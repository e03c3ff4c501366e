// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

// What clients ask for that happened before; none of it takes a turn in the drain.
extension RunningHost {
    func history(_ query: HistoryQuery) async throws(ControlError) -> Value {
        try await journalled().history(query)
    }

    func state(_ query: PastStateQuery) async throws(ControlError) -> Value {
        try await journalled().state(query)
    }

    /// Who looks back, once everything is written down that watchers have been told, and that nothing follows from any more.
    private func journalled() async throws(ControlError) -> any ControlPast {
        guard let past, let journal else {
            throw .refused(
                "this host keeps no journal, so it knows no past; add \"journal\" to its configuration")
        }
        let written = PendingAnswer<JournalFailure?>()
        // By a thread that may wait: the writer may be behind.
        BackgroundThread.perform { journal.recorder.handOver { written.finish($0) } }
        if let failure = await written.value() { throw .refused("\(failure)") }
        return past
    }
}
