// SPDX-License-Identifier: Apache-2.0

/// The options of `gatehouse replay`.
struct ReplayOptions: Equatable {
    /// The path of the configuration to try.
    let config: String
    /// Where the journal is.
    let place: JournalPlace
    /// The path of the configuration whose reducers make the recorded state; nil for the one to try.
    let against: String?
    /// A library that replaces the one with the same plugin; nil for none.
    let library: String?
    /// The first action.
    let from: UInt64?
    /// The last action.
    let to: UInt64?
    /// The number of actions, the newest ones; nil for all.
    let last: UInt64?
    /// Whether the result is for programs.
    let isJSON: Bool

    /// Parses the arguments after `replay`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let options = try OptionReader(arguments, of: CommandTable.replay)
        config = options["--config"] ?? "plugins.json"
        place = JournalPlace(options)
        against = options["--against"]
        library = options["--with"]
        from = try HistoryOptions.sequence("--from", options)
        to = try HistoryOptions.sequence("--to", options)
        last = try HistoryOptions.sequence("--last", options)
        isJSON = options["--json"] != nil
        if last != nil, let other = ["--from", "--to"].first(where: { options[$0] != nil }) {
            throw .exclusiveOptions("--last", other)
        }
    }
}
