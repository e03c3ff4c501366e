// SPDX-License-Identifier: Apache-2.0

/// The options of `gatehouse backup`.
struct BackupOptions: Equatable {
    /// Where the journal is.
    let place: JournalPlace
    /// The path of the copy.
    let target: String

    /// Parses the arguments after `backup`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let options = try OptionReader(arguments, of: CommandTable.backup)
        place = JournalPlace(options)
        target = options.operands.first ?? ""
    }
}
