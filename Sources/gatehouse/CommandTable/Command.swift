// SPDX-License-Identifier: Apache-2.0

/// One command of the program, as it is read and explained: the only place that says so.
///
/// The reader of options, near misses, help, manual pages and completions are all made from it.
struct Command: Sendable {
    /// A part of its line, in the order of the synopsis.
    enum Part: Sendable {
        /// Options of which one may be given.
        case options([CommandOption])
        /// An operand, which is no option.
        case operand(CommandOperand)

        /// One option, which excludes no other.
        static func option(
            _ name: String, _ placeholder: String? = nil, expected: String = "",
            choices: [(word: String, meaning: String)] = [], meaning: String,
            completion: CommandOption.Completion = .none, isRepeatable: Bool = false, requests: [String] = []
        ) -> Part {
            .options([
                CommandOption(
                    name: name, placeholder: placeholder, expected: expected, choices: choices,
                    meaning: meaning, completion: completion, isRepeatable: isRepeatable, requests: requests)
            ])
        }

        /// An operand with its name.
        static func operand(
            _ name: String, expected: String = "", meaning: String = "", isRequired: Bool = false,
            words: [String] = [], repeats: Bool = false, completion: CommandOption.Completion = .none
        ) -> Part {
            .operand(
                CommandOperand(
                    name: name, expected: expected, meaning: meaning, isRequired: isRequired, words: words,
                    repeats: repeats, completion: completion))
        }
    }

    /// The word for it.
    let name: String
    /// Parses what stands after the word, and does it.
    let type: any ParsedCommand.Type
    /// What it does, without a period.
    let summary: String
    /// What stands after its name.
    var parts: [Part] = []
    /// What it does in full, a paragraph each.
    let description: [String]
    /// What else there is to know, likewise; told after the options.
    var notes: [String] = []
    /// What its exit codes mean; empty for one that cannot fail but for its command line.
    var exits: [(code: ExitCode, meaning: String)] = []

    /// All options of the command, in the order in which help shows them.
    var options: [CommandOption] {
        parts.flatMap { part -> [CommandOption] in
            if case .options(let options) = part { options } else { [] }
        }
    }

    /// The options that people use.
    var shownOptions: [CommandOption] { options.filter { !$0.isHidden } }

    /// All that are no options.
    var operands: [CommandOperand] {
        parts.compactMap { part -> CommandOperand? in
            if case .operand(let operand) = part { operand } else { nil }
        }
    }

    /// The synopsis after the name, part by part, such as `[--json|--graph]`.
    var synopsis: [String] {
        parts.compactMap { part in
            switch part {
            case .operand(let operand):
                operand.isRequired ? operand.name : "[\(operand.name)\(operand.repeats ? "..." : "")]"
            case .options(let options):
                options.contains { !$0.isHidden }
                    ? "[\(options.filter { !$0.isHidden }.map(\.usage).joined(separator: "|"))]"
                        + (options.allSatisfy(\.isRepeatable) ? "..." : "") : nil
            }
        }
    }
}

/// One option of a command.
struct CommandOption: Sendable {
    /// What a shell offers as a value.
    enum Completion: Sendable {
        /// Nothing that a shell could complete.
        case none
        /// The name of a file.
        case file
        /// The name of a folder.
        case folder
    }

    /// The option's name, with its dashes.
    let name: String
    /// What stands for the value in texts, such as `FILE`; nil for a flag.
    var placeholder: String?
    /// What the value is, for who has left it out.
    var expected = ""
    /// The values it takes, each with its meaning; empty for any.
    var choices: [(word: String, meaning: String)] = []
    /// What it does, without a period; where there are choices, help tells these instead.
    var meaning = ""
    /// What a shell offers.
    var completion = Completion.none
    /// Whether it may be given several times.
    var isRepeatable = false
    /// The requests of the command that it belongs to, the usual one first; empty for all.
    var requests: [String] = []
    /// Whether only scripts of this project use it.
    var isHidden = false

    /// How it stands in a synopsis.
    var usage: String {
        let value = choices.isEmpty ? placeholder : choices.map(\.word).joined(separator: "|")
        return value.map { "\(name) \($0)" } ?? name
    }

    /// What it does, or what each of its choices does.
    var meanings: [String] { choices.isEmpty ? [meaning] : choices.map { "\($0.word): \($0.meaning)" } }

    /// How it stands in a list.
    var title: String { placeholder.map { "\(name) \($0)" } ?? name }
}

/// What a command takes that is no option.
struct CommandOperand: Sendable {
    /// What stands for it in texts.
    let name: String
    /// What it is, for who has left it out.
    var expected = ""
    /// What it does, without a period; empty where the description says it.
    var meaning = ""
    /// Whether the command makes no sense without it.
    var isRequired = false
    /// The words it may be; empty for any.
    var words: [String] = []
    /// Whether any number of it may stand there; for the last one only.
    var repeats = false
    /// What a shell offers.
    var completion = CommandOption.Completion.none
}
