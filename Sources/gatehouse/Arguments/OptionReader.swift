// SPDX-License-Identifier: Apache-2.0

/// Parses the options of one command: `--name value`, `--name=value`, `--flag`; `--` ends the options.
///
/// An unknown option, or one that its neighbors exclude, is an error that names it.
struct OptionReader {
    /// The values given, by option name; a flag has an empty one.
    private var values: [String: String] = [:]
    /// The values of options that may be given several times, in order.
    private var lists: [String: [String]] = [:]
    /// The arguments that are not options, in order.
    private(set) var operands: [String] = []

    /// Parses the arguments after a command's name.
    init(_ arguments: some Sequence<String>, of command: Command) throws(UsageError) {
        let limit = command.operands.last?.repeats == true ? Int.max : command.operands.count
        var rest = arguments.makeIterator()
        var isBehindOptions = false
        while let argument = rest.next() {
            if argument == "--", limit > 0, !isBehindOptions {
                isBehindOptions = true
                continue
            }
            guard argument.hasPrefix("--"), argument != "--", !isBehindOptions else {
                guard operands.count < limit else {
                    throw .unexpectedArgument(argument, command: command.name)
                }
                operands.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let option = command.options.first(where: { $0.name == name }) else {
                let known = command.shownOptions.map(\.name)
                throw .unknownOption(name, command: command.name, known: known)
            }
            guard values[name] == nil else { throw .repeatedOption(name) }
            guard option.placeholder != nil else {
                if parts.count > 1 { throw .unexpectedValue(option: name, found: String(parts[1])) }
                values[name] = ""
                continue
            }
            let choices = option.choices.map(\.word)
            guard let value = parts.count > 1 ? String(parts[1]) : rest.next(), !value.isEmpty else {
                throw .missingValue(
                    option: name,
                    expected: choices.isEmpty ? option.expected : choices.joined(separator: ", "))
            }
            guard choices.isEmpty || choices.contains(value) else {
                throw .invalidValue(option: name, found: value, expected: choices)
            }
            if option.isRepeatable {
                lists[name, default: []].append(value)
            } else {
                values[name] = value
            }
        }
        for case .options(let alternatives) in command.parts {
            let given = alternatives.map(\.name).filter { values[$0] != nil }
            if given.count > 1 { throw .exclusiveOptions(given[0], given[1]) }
        }
        for option in command.options where !option.requests.isEmpty && has(option.name) {
            guard let word = operands.first, !option.requests.contains(word) else { continue }
            throw .foreignOption(
                option.name, of: "\(command.name) \(option.requests[0])", found: "\(command.name) \(word)")
        }
        if let missing = command.operands.dropFirst(operands.filter { !$0.isEmpty }.count)
            .first(where: \.isRequired)
        {
            throw .missingArgument(missing.expected, command: command.name)
        }
    }

    /// Returns all values of a repeatable option, in order.
    func list(_ name: String) -> [String] { lists[name] ?? [] }

    /// The value of an option; nil when it was not given.
    subscript(name: String) -> String? { values[name] }

    /// Whether an option was given.
    func has(_ name: String) -> Bool { values[name] != nil || lists[name] != nil }

    /// Whether the answer is for programs.
    var isJSON: Bool { has("--json") }

    /// The folder that `--plugins` names or, without it, the configuration: by default `plugins.json`.
    var file: ConfigurationFile {
        if let folder = self["--plugins"] { return ConfigurationFile(path: folder, isFolder: true) }
        return ConfigurationFile(path: self["--config"] ?? "plugins.json")
    }

    /// Refuses options beside another one, if that was given.
    func exclude(_ names: [String], beside other: String) throws(UsageError) {
        if has(other), let name = names.first(where: has) { throw .exclusiveOptions(other, name) }
    }

    /// The value of an option in the form that a command needs; nil when it was not given.
    ///
    /// - Parameters:
    ///   - expected: what it must be, in words.
    ///   - parse: returns nil for any other text.
    func value<Parsed>(
        _ name: String, expected: String, _ parse: (String) -> Parsed?
    ) throws(UsageError) -> Parsed? {
        guard let text = self[name] else { return nil }
        guard let parsed = parse(text) else {
            throw .malformedValue(option: name, found: text, expected: expected)
        }
        return parsed
    }

    /// The value of an option as a number, at least `least`; nil when it was not given.
    func number<Number: FixedWidthInteger>(
        _ name: String, from least: Number = 1, expected: String = "a number from 1 on"
    ) throws(UsageError) -> Number? {
        try value(name, expected: expected) { text in Number(text).flatMap { $0 < least ? nil : $0 } }
    }

    /// The value of an option as the number of an action; nil when it was not given.
    func sequence(_ name: String) throws(UsageError) -> UInt64? {
        try number(name, expected: "the number of an action, such as 1042")
    }

    /// The value of an option as a time in seconds; ten of them when it was not given.
    func seconds(_ name: String) throws(UsageError) -> Duration {
        try value(name, expected: "a number of seconds from 0 to 86400") { text in
            Double(text).flatMap { (0...86_400).contains($0) ? .seconds($0) : nil }
        } ?? .seconds(10)
    }
}
