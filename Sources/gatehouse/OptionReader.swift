// SPDX-License-Identifier: Apache-2.0

/// Takes the options of one command apart: `--name value`, `--name=value`, `--flag`; `--` ends the options.
///
/// Strict: what is not known is an error that names it.
struct OptionReader {
    /// One option of a command.
    struct Option {
        /// With its dashes.
        let name: String
        /// What the value is, in words; nil for a flag.
        let value: String?
        /// The values it takes; empty for any.
        let choices: [String]
        /// Whether it may be given several times.
        var isRepeatable = false

        /// An option that takes any value.
        static func value(_ name: String, _ meaning: String) -> Option {
            Option(name: name, value: meaning, choices: [])
        }

        /// An option that takes any value each time it is given.
        static func list(_ name: String, _ meaning: String) -> Option {
            Option(name: name, value: meaning, choices: [], isRepeatable: true)
        }

        /// An option that takes one of a few values.
        static func choice(_ name: String, _ choices: [String]) -> Option {
            Option(name: name, value: choices.joined(separator: ", "), choices: choices)
        }

        /// An option without value.
        static func flag(_ name: String) -> Option {
            Option(name: name, value: nil, choices: [])
        }
    }

    /// The values given, by option name; a flag has an empty one.
    private(set) var values: [String: String] = [:]
    /// The values of options that may be given several times, in order.
    private var lists: [String: [String]] = [:]
    /// What is no option, in order.
    private(set) var operands: [String] = []

    /// Reads the arguments behind a command's name, among them at most `operands` that are no options.
    init(
        _ arguments: some Sequence<String>, of command: String, options: [Option], operands limit: Int = 0
    ) throws(UsageError) {
        var rest = arguments.makeIterator()
        var isBehindOptions = false
        while let argument = rest.next() {
            if argument == "--", limit > 0, !isBehindOptions {
                isBehindOptions = true
                continue
            }
            guard argument.hasPrefix("--"), argument != "--", !isBehindOptions else {
                guard operands.count < limit else { throw .unexpectedArgument(argument, command: command) }
                operands.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let option = options.first(where: { $0.name == name }) else {
                throw .unknownOption(name, command: command, known: options.map(\.name))
            }
            guard values[name] == nil else { throw .repeatedOption(name) }
            guard let meaning = option.value else {
                if parts.count > 1 { throw .unexpectedValue(option: name, found: String(parts[1])) }
                values[name] = ""
                continue
            }
            guard let value = parts.count > 1 ? String(parts[1]) : rest.next(), !value.isEmpty else {
                throw .missingValue(option: name, expected: meaning)
            }
            guard option.choices.isEmpty || option.choices.contains(value) else {
                throw .invalidValue(option: name, found: value, expected: option.choices)
            }
            if option.isRepeatable {
                lists[name, default: []].append(value)
            } else {
                values[name] = value
            }
        }
    }

    /// All values of an option that may be given several times, in order.
    func list(_ name: String) -> [String] { lists[name] ?? [] }

    /// The value of an option, nil when it was not given.
    subscript(name: String) -> String? { values[name] }

    /// The folder to run without a configuration file, nil when there is a file.
    func plugins() throws(UsageError) -> String? {
        if self["--plugins"] != nil, self["--config"] != nil {
            throw .exclusiveOptions("--config", "--plugins")
        }
        return self["--plugins"]
    }
}
