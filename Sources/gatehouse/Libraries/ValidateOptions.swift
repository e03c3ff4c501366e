// SPDX-License-Identifier: Apache-2.0

/// The options of `gatehouse validate`.
struct ValidateOptions: Equatable {
    /// The library; empty when the checks are only listed.
    var file = ""
    /// The names of checks or groups; empty for all.
    var only: [String] = []
    /// The seed of the random payloads.
    var seed: UInt64 = 1
    /// A file of recorded actions; nil for none.
    var input: String?
    /// A file with the settings of instances; nil for none.
    var settings: String?
    /// A file of states written by earlier versions; nil for none.
    var states: String?
    /// Whether to list the checks without performing any.
    var lists = false
    /// Whether the result is JSON.
    var isJSON = false

    /// Parses the arguments after `validate`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let command = CommandTable.validate
        let options = try OptionReader(arguments, of: command)
        only = options["--only"].map { $0.split(separator: ",").map(String.init) } ?? []
        input = options["--input"]
        settings = options["--settings"]
        states = options["--states"]
        lists = options["--list"] != nil
        isJSON = options["--json"] != nil
        if let text = options["--seed"] {
            guard let number = UInt64(text) else {
                throw .malformedValue(option: "--seed", found: text, expected: "a whole number from 0 on")
            }
            seed = number
        }
        guard let operand = options.operands.first(where: { !$0.isEmpty }) else {
            guard lists else { throw .missingArgument("a library file", command: command.name) }
            return
        }
        file = operand
    }
}
