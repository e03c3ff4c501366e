// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK

/// A page for `man`, in troff with the macros of `man(7)`.
struct ManualPage {
    /// The page, with its last line ending.
    private(set) var text: String

    /// The page `gatehouse(1)`, which gives an overview.
    static var overview: ManualPage {
        var page = ManualPage("gatehouse", summary: CommandTable.summary)
        page.section("Synopsis")
        page.line(".B gatehouse")
        page.line(".I COMMAND")
        page.line("[\\fIOPTIONS\\fR]")
        page.section("Commands")
        for command in CommandTable.all {
            page.item("\\fBgatehouse " + escaped(command.name) + "\\fR", [command.summary])
        }
        page.exits(CommandTable.exits)
        page.section("See also")
        let names = CommandTable.all.map(\.name).filter { $0 != CommandTable.help.name }
        page.line(names.map { ".BR gatehouse\\-\($0) (1)" }.joined(separator: ",\n"))
        return page
    }

    /// The page of one command, such as `gatehouse-run(1)`.
    init(_ command: Command) {
        self.init("gatehouse-" + command.name, summary: command.summary)
        section("Synopsis")
        line(".B gatehouse \(Self.escaped(command.name))")
        for part in command.synopsis { line(Self.escaped(part)) }
        section("Description")
        for (place, paragraph) in (command.description + command.notes).enumerated() {
            if place > 0 { line(".PP") }
            line(Self.escaped(paragraph))
        }
        let operands = command.operands.filter { !$0.meaning.isEmpty }
        let options = command.shownOptions
        if !operands.isEmpty || !options.isEmpty { section("Options") }
        for operand in operands { item("\\fI\(Self.escaped(operand.name))\\fR", [operand.meaning]) }
        for option in options {
            let value = option.placeholder.map { " \\fI\(Self.escaped($0))\\fR" } ?? ""
            item("\\fB\(Self.escaped(option.name))\\fR" + value, option.meanings)
        }
        exits(command.exits)
        section("See also")
        line(".BR gatehouse (1)")
    }

    /// A page with its title and its first section.
    private init(_ name: String, summary: String) {
        let name = Self.escaped(name)
        text = """
            .\\" SPDX-License-Identifier: Apache-2.0
            .TH \(name) 1 "" "gatehouse \(SDKIdentity.current.sdkVersion)"
            .SH NAME
            \(name) \\- \(Self.escaped(summary))

            """
    }

    // MARK: - Parts

    /// Appends a line of roff.
    private mutating func line(_ line: String) { text += line + "\n" }

    /// Begins a section, whose title is written in capitals.
    private mutating func section(_ title: String) { line(".SH " + title.uppercased()) }

    /// Adds an entry of a list.
    private mutating func item(_ title: String, _ texts: [String]) {
        line(".TP")
        line(title)
        line(texts.map(Self.escaped).joined(separator: "\n.br\n"))
    }

    /// Says what exit codes mean.
    private mutating func exits(_ exits: [(code: ExitCode, meaning: String)]) {
        guard !exits.isEmpty else { return }
        section("Exit status")
        for (code, meaning) in exits { item("\\fB\(code.rawValue)\\fR", [meaning]) }
    }

    /// A text in which nothing means anything to troff.
    private static func escaped(_ text: String) -> String {
        let characters = text.map { character in
            switch character {
            case "\\": "\\e"
            case "-": "\\-"
            case _ where character.isASCII: String(character)
            default:
                character.unicodeScalars.map { "\\[u\(Self.hexadecimal($0.value))]" }.joined()
            }
        }.joined()
        return characters.hasPrefix(".") || characters.hasPrefix("'") ? "\\&" + characters : characters
    }

    /// A number as troff names characters, with four digits or more.
    private static func hexadecimal(_ number: UInt32) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
