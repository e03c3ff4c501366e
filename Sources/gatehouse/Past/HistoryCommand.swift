// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHistory
internal import GatehouseJournal
internal import GatehouseSDK
private import Glibc

/// `gatehouse history`: shows recorded actions, even while a host is writing the journal.
struct HistoryCommand {
    /// The options of the command line.
    let options: HistoryOptions
    /// The pause between two looks at the journal, in milliseconds.
    private static let pause: Int32 = 100

    /// Prints the selected actions; ends with bad data when some of them cannot be read.
    func run() -> ExitCode {
        guard let folder = options.place.folder() else { return .configuration }
        do throws(JournalFailure) {
            let history = try History(folder: folder)
            if let sequence = options.causes { return try printCauses(of: sequence, history) }
            return try printEntries(history)
        } catch {
            StandardError.writeLine("gatehouse: \(error)")
            return .badData
        }
    }

    /// Prints an action with all its causes and consequences.
    private func printCauses(of sequence: UInt64, _ history: History) throws(JournalFailure) -> ExitCode {
        let entries = try history.causes(of: sequence)
        guard !entries.isEmpty else {
            let bounds = try history.bounds().map { "it has \($0.lowerBound) to \($0.upperBound)" }
            StandardError.writeLine(
                "gatehouse: the journal has no action \(sequence); \(bounds ?? "it is empty")")
            return .badData
        }
        if options.isJSON {
            for entry in entries { Results.write(entry.value) }
        } else {
            printTree(entries, marking: sequence)
        }
        return .success
    }

    /// Prints actions as a tree, below their causes.
    private func printTree(_ entries: [HistoryEntry], marking sequence: UInt64? = nil) {
        for line in CauseTree(entries).lines {
            let mark = line.entry.sequence == sequence ? "  ←" : ""
            Results.writeLine(
                line.branches + HistoryText.short(line.entry, withPayload: options.showsPayloads) + mark)
        }
    }

    /// Prints the actions that pass the filter, one per line.
    private func printEntries(_ history: History) throws(JournalFailure) -> ExitCode {
        var filter = options.filter
        // A person wants the newest actions; a program wants the ones it asks for.
        if filter.last == nil, filter.from == nil, filter.to == nil, isatty(STDOUT_FILENO) == 1 {
            filter.last = HistoryOptions.shownOnTerminal
        }
        let cursor = try history.entries(filter)
        var isWhole = true
        var tree: [HistoryEntry] = []
        while true {
            while let item = try cursor.next() {
                switch item {
                case .damage(let sentence):
                    isWhole = false
                    StandardError.writeLine("gatehouse: \(sentence)")
                case .gap(let sentence): StandardError.writeLine("gatehouse: \(sentence)")
                case .entry(let entry):
                    if options.isTree, !options.isJSON { tree.append(entry) } else { write(entry) }
                }
            }
            guard options.isFollowing else { break }
            // Following ends when the reader has left.
            guard fflush(nil) == 0 else { return .success }
            _ = poll(nil, 0, Self.pause)
        }
        printTree(tree)
        return isWhole ? .success : .badData
    }

    /// Prints one action on one line.
    private func write(_ entry: HistoryEntry) {
        guard !options.isJSON else { return Results.write(entry.value) }
        Results.writeLine(HistoryText.line(entry, withPayload: options.showsPayloads))
    }
}
