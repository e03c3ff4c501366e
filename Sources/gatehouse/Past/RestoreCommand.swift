// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal

/// `gatehouse restore`: replaces a journal with a backup.
struct RestoreCommand {
    /// The options of the command line.
    let options: RestoreOptions

    /// Restores the backup, and prints its contents and where the former journal is.
    func run() -> ExitCode {
        guard let folder = options.place.folder() else { return .configuration }
        do throws(JournalRestore.Failure) {
            let restored = try JournalRestore(of: options.backup, into: folder)
            let content =
                restored.actions.map { "actions \($0.lowerBound) to \($0.upperBound)" } ?? "no actions"
            let before = restored.kept.map { "; the journal from before is \($0)" } ?? ""
            Results.writeLine("\(restored.path): \(content)\(before)")
            return .success
        } catch {
            StandardError.writeLine("gatehouse: \(error)")
            return switch error {
            case .journal: .journalFailed
            case .damaged: .badData
            case .missing, .live, .system: .usage
            }
        }
    }
}
