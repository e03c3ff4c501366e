// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

// Client requests about the past; none of them takes a turn in the drain.
extension RunningHost {
    func history(_ query: HistoryQuery) async throws(ControlError) -> Value {
        try await journalled().history(query)
    }

    func state(_ query: PastStateQuery) async throws(ControlError) -> Value {
        try await journalled().state(query)
    }

    /// Returns the past once everything that watchers have seen, and that nothing follows from any more, is written.
    private func journalled() async throws(ControlError) -> any ControlPast {
        guard let past, let journal else {
            throw .refused(
                "this host keeps no journal, so it has no history; add \"journal\" to its configuration")
        }
        let written = PendingAnswer<JournalFailure?>()
        // On a thread that may block: the writer may lag.
        BackgroundThread.perform { journal.recorder.handOver { written.finish($0) } }
        if let failure = await written.value() { throw .refused("\(failure)") }
        return past
    }
}
