// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHistory
internal import GatehouseManifest

/// The options of `gatehouse history`.
struct HistoryOptions: Equatable {
    /// How many actions a terminal shows by default.
    static let shownOnTerminal = 20

    /// Where the journal is.
    let place: JournalPlace
    /// Selects the actions.
    let filter: HistoryFilter
    /// The action whose causes and consequences are shown; nil to apply the filter instead.
    let causes: UInt64?
    /// Whether to wait for further actions of a running host.
    let isFollowing: Bool
    /// Whether payloads are shown.
    let showsPayloads: Bool
    /// Whether actions are shown below their causes.
    let isTree: Bool
    /// Whether each line is one JSON object.
    let isJSON: Bool

    /// Parses the arguments after `history`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let options = try OptionReader(arguments, of: CommandTable.history)
        place = JournalPlace(options)
        var filter = HistoryFilter()
        if let text = options["--type"] {
            guard let pattern = TypePattern(text) else {
                throw .malformedValue(
                    option: "--type", found: text,
                    expected: "an action type with \"*\" nowhere but at its end")
            }
            filter.types = pattern
        }
        filter.instance = options["--instance"]
        filter.from = try Self.bound("--from", options)
        filter.to = try Self.bound("--to", options)
        if let text = options["--last"] {
            guard let count = Int(text), count > 0 else {
                throw .malformedValue(option: "--last", found: text, expected: "a number from 1 on")
            }
            filter.last = count
        }
        self.filter = filter
        causes = try Self.sequence("--causes", options)
        isFollowing = options["--follow"] != nil
        showsPayloads = options["--payload"] != nil
        isTree = options["--tree"] != nil
        isJSON = options["--json"] != nil
        if causes != nil {
            let others = ["--type", "--instance", "--from", "--to", "--last", "--follow"]
            if let other = others.first(where: { options[$0] != nil }) {
                throw .exclusiveOptions("--causes", other)
            }
        }
        if isFollowing, let other = ["--to", "--tree"].first(where: { options[$0] != nil }) {
            throw .exclusiveOptions("--follow", other)
        }
    }

    /// Parses the number of an action; nil where the option is not given.
    static func sequence(_ option: String, _ options: OptionReader) throws(UsageError) -> UInt64? {
        guard let text = options[option] else { return nil }
        guard let sequence = UInt64(text), sequence > 0 else {
            throw .malformedValue(
                option: option, found: text, expected: "the number of an action, such as 1042")
        }
        return sequence
    }

    /// Parses the beginning or end of a part of the past.
    private static func bound(
        _ option: String, _ options: OptionReader
    ) throws(UsageError) -> HistoryFilter.Bound? {
        guard let text = options[option] else { return nil }
        guard let bound = HistoryFilter.Bound(text) else {
            throw .malformedValue(
                option: option, found: text,
                expected: "the number of an action, or a moment such as 2026-01-31T12:00:00Z")
        }
        return bound
    }
}
