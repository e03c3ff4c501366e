// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal

/// `gatehouse restore`: replaces a journal with a backup.
struct RestoreCommand: ParsedCommand {
    /// The parsed command line.
    let options: OptionReader

    /// Restores the backup, and prints its contents and where the former journal is.
    func run() throws(Ended) -> ExitCode {
        let folder = try options.journalFolder()
        do throws(JournalRestore.Failure) {
            let restored = try JournalRestore(of: options.operands[0], into: folder)
            let content =
                restored.actions.map { "actions \($0.lowerBound) to \($0.upperBound)" } ?? "no actions"
            let before = restored.kept.map { "; the journal from before is \($0)" } ?? ""
            Results.writeLine("\(restored.path): \(content)\(before)")
            return .success
        } catch {
            let code: ExitCode =
                switch error {
                case .journal: .journalFailed
                case .damaged: .badData
                case .missing, .live, .system: .usage
                }
            return code.because("\(error)")
        }
    }
}
