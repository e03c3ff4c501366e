// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal

/// `gatehouse backup`: copies a journal, even while a host is writing it.
struct BackupCommand {
    /// The options of the command line.
    let options: BackupOptions

    /// Makes the copy, and prints its contents.
    func run() -> ExitCode {
        guard let folder = options.place.folder() else { return .configuration }
        do throws(JournalBackup.Failure) {
            let backup = try JournalBackup(of: folder, to: options.target)
            let content =
                backup.actions.map { "actions \($0.lowerBound) to \($0.upperBound)" } ?? "no actions"
            Results.writeLine("\(backup.path): \(content), \(backup.bytes) bytes")
            return .success
        } catch {
            StandardError.writeLine("gatehouse: \(error)")
            return switch error {
            case .journal, .damaged: .badData
            case .exists, .system, .unwritable: .usage
            }
        }
    }
}
