// SPDX-License-Identifier: Apache-2.0

/// The options of `gatehouse replay`.
struct ReplayOptions: Equatable {
    /// The path of the configuration that is tried.
    let config: String
    /// Where the journal is.
    let place: JournalPlace
    /// The path of the configuration whose reducers make the state of the record; nil for the one that is tried.
    let against: String?
    /// A library that takes the place of the one with the same plugin; nil for none.
    let library: String?
    /// The first action.
    let from: UInt64?
    /// The last action.
    let to: UInt64?
    /// Only so many actions, the newest; nil for all.
    let last: UInt64?
    /// Whether the result is for programs.
    let isJSON: Bool

    /// Reads the arguments behind `replay`.
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
