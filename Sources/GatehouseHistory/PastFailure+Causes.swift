// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseRuntime
internal import GatehouseSupport

extension PastFailure {
    /// Returns what is read from a journal.
    static func reading<Result>(
        _ body: @autoclosure () throws(JournalFailure) -> Result
    ) throws(PastFailure) -> Result {
        do { return try body() } catch { throw .journal(error) }
    }

    /// Returns a new folder for the data of instances that reduce the past.
    static func scratchFolder() throws(PastFailure) -> ScratchFolder {
        do { return try ScratchFolder() } catch { throw .child("\(error)") }
    }
}
