// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHistory
internal import GatehouseJournal
internal import GatehouseManifest
internal import GatehouseSDK
private import Glibc

/// `gatehouse history`: shows recorded actions, even while a host is writing the journal.
struct HistoryCommand: ParsedCommand {
    /// The parsed command line.
    private let options: OptionReader
    /// Selects the actions.
    private let filter: HistoryFilter
    /// The action whose causes and consequences are shown; nil to apply the filter instead.
    private let causes: UInt64?

    /// How many actions a terminal shows by default.
    private static let shownOnTerminal = 20
    /// The pause between two looks at the journal, in milliseconds.
    private static let pause: Int32 = 100

    init(options: OptionReader) throws(UsageError) {
        self.options = options
        var filter = HistoryFilter()
        filter.types = try options.value(
            "--type", expected: "an action type with \"*\" nowhere but at its end", TypePattern.init)
        filter.instance = options["--instance"]
        filter.text = options["--text"].map(RecordedText.init)
        let bound = "the number of an action, or a moment such as 2026-01-31T12:00:00Z"
        filter.from = try options.value("--from", expected: bound, HistoryFilter.Bound.init)
        filter.to = try options.value("--to", expected: bound, HistoryFilter.Bound.init)
        filter.last = try options.number("--last")
        self.filter = filter
        causes = try options.sequence("--causes")
        try options.exclude(
            ["--type", "--instance", "--text", "--from", "--to", "--last", "--follow"], beside: "--causes")
        try options.exclude(["--to", "--tree"], beside: "--follow")
    }

    /// Prints the selected actions; ends with bad data when some of them cannot be read.
    func run() throws(Ended) -> ExitCode {
        let folder = try options.journalFolder()
        do throws(JournalFailure) {
            let history = try History(folder: folder)
            if let sequence = causes { return try printCauses(of: sequence, history) }
            return try printEntries(history)
        } catch {
            return .badData.because("\(error)")
        }
    }

    /// Prints an action with all its causes and consequences.
    private func printCauses(of sequence: UInt64, _ history: History) throws(JournalFailure) -> ExitCode {
        let entries = try history.causes(of: sequence)
        guard !entries.isEmpty else {
            let bounds = try history.bounds().map { "it has \($0.lowerBound) to \($0.upperBound)" }
            return .badData.because("the journal has no action \(sequence); \(bounds ?? "it is empty")")
        }
        if options.isJSON {
            for entry in entries { Results.write(entry.value) }
        } else {
            printTree(entries, marking: sequence)
        }
        return .success
    }

    /// Prints actions as a tree, below their causes.
    private func printTree(_ entries: [JournalRecord], marking sequence: UInt64? = nil) {
        for line in CauseTree(entries).lines {
            let mark = line.entry.sequence == sequence ? "  ←" : ""
            Results.writeLine(
                line.branches + HistoryText.short(line.entry, withPayload: options.has("--payload")) + mark)
        }
    }

    /// Prints the actions that pass the filter, one per line.
    private func printEntries(_ history: History) throws(JournalFailure) -> ExitCode {
        var filter = filter
        // A person wants the newest actions; a program wants the ones it asks for.
        if filter.last == nil, filter.from == nil, filter.to == nil, isatty(STDOUT_FILENO) == 1 {
            filter.last = Self.shownOnTerminal
        }
        let cursor = try history.entries(filter)
        var isWhole = true
        var tree: [JournalRecord] = []
        while true {
            while let item = try cursor.next() {
                switch item {
                case .damage(let damage):
                    if damage.kind != .removed { isWhole = false }
                    StandardError.tell("\(damage)")
                case .record(let entry):
                    if options.has("--tree"), !options.isJSON { tree.append(entry) } else { write(entry) }
                }
            }
            guard options.has("--follow") else { break }
            // Following ends when the reader has left.
            guard fflush(nil) == 0 else { return .success }
            _ = poll(nil, 0, Self.pause)
        }
        printTree(tree)
        return isWhole ? .success : .badData
    }

    /// Prints one action on one line.
    private func write(_ entry: JournalRecord) {
        guard !options.isJSON else { return Results.write(entry.value) }
        Results.writeLine(HistoryText.line(entry, withPayload: options.has("--payload")))
    }
}
