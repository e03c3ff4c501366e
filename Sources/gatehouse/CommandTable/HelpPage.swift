// SPDX-License-Identifier: Apache-2.0

/// What `gatehouse help` prints.
struct HelpPage {
    /// The page, with its last line ending.
    let text: String

    /// The greatest width of a text, in characters.
    private static let width = 90
    /// How wide a synopsis becomes.
    private static let synopsisWidth = 100

    /// The overview of all commands.
    static var overview: HelpPage {
        let width = CommandTable.all.map(\.name.count).max() ?? 0
        let commands = CommandTable.all.map { "  " + $0.name.padded(to: width) + "   " + $0.summary }
        return HelpPage(
            paragraphs: [
                ["usage: gatehouse COMMAND [OPTIONS]"], ["Gatehouse \(CommandTable.summary)."], commands,
                exits(CommandTable.exits),
            ])
    }

    /// The page of one command.
    init(_ command: Command) {
        var rows = command.operands.filter { !$0.meaning.isEmpty }.map { ($0.name, [$0.meaning]) }
        rows += command.shownOptions.map { ($0.title, $0.meanings) }
        self.init(
            paragraphs: [Self.synopsis(command)]
                + command.description.map { Self.wrapped($0, width: Self.width) }
                + [Self.table(rows)] + command.notes.map { Self.wrapped($0, width: Self.width) }
                + [Self.exits(command.exits)])
    }

    /// Lines in paragraphs; one without lines is left out.
    private init(paragraphs: [[String]]) {
        text =
            paragraphs.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
            + "\n"
    }

    // MARK: - Parts

    /// How the command is called.
    private static func synopsis(_ command: Command) -> [String] {
        let start = "usage: gatehouse \(command.name)"
        var lines = [start]
        for part in command.synopsis {
            let last = lines.count - 1
            if lines[last].count + 1 + part.count <= synopsisWidth {
                lines[last] += " " + part
            } else {
                lines.append(String(repeating: " ", count: start.count) + " " + part)
            }
        }
        return lines
    }

    /// Names on the left, texts on the right.
    private static func table(_ rows: [(name: String, texts: [String])]) -> [String] {
        let indent = (rows.map(\.name.count).max() ?? 0) + 5
        return rows.flatMap { name, texts in
            let lines = texts.flatMap { wrapped($0, width: width - indent) }
            return lines.enumerated().map { index, line in
                (index == 0 ? "  " + name : "").padded(to: indent) + line
            }
        }
    }

    /// What exit codes mean; nothing where there is nothing to say.
    private static func exits(_ exits: [(code: ExitCode, meaning: String)]) -> [String] {
        exits.isEmpty ? [] : ["Exit codes:"] + table(exits.map { ("\($0.code.rawValue)", [$0.meaning]) })
    }

    /// A text in lines that are no wider than they must be.
    private static func wrapped(_ text: String, width: Int) -> [String] {
        text.split(separator: " ").reduce(into: [String]()) { lines, word in
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
    }
}
