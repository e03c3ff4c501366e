// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal

/// `gatehouse backup`: copies a journal, even while a host is writing it.
struct BackupCommand: ParsedCommand {
    /// The parsed command line.
    let options: OptionReader

    /// Makes the copy, and prints its contents.
    func run() throws(Ended) -> ExitCode {
        let folder = try options.journalFolder()
        do throws(JournalBackup.Failure) {
            let backup = try JournalBackup(of: folder, to: options.operands[0])
            let content =
                backup.actions.map { "actions \($0.lowerBound) to \($0.upperBound)" } ?? "no actions"
            Results.writeLine("\(backup.path): \(content), \(backup.bytes) bytes")
            return .success
        } catch {
            let code: ExitCode =
                switch error {
                case .journal, .damaged: .badData
                case .exists, .system, .unwritable: .usage
                }
            return code.because("\(error)")
        }
    }
}
