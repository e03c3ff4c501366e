// SPDX-License-Identifier: Apache-2.0

/// The options of `gatehouse restore`.
struct RestoreOptions: Equatable {
    /// Where the journal is.
    let place: JournalPlace
    /// The path of the backup.
    let backup: String

    /// Parses the arguments after `restore`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let options = try OptionReader(arguments, of: CommandTable.restore)
        place = JournalPlace(options)
        backup = options.operands.first ?? ""
    }
}
