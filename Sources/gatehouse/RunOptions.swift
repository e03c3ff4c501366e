// SPDX-License-Identifier: Apache-2.0

/// The options of `gatehouse run`.
struct RunOptions: Equatable {
    /// What is printed on standard output.
    enum Print: String, CaseIterable {
        /// The final state, as one JSON object.
        case state
        /// Each action as it is processed, one JSON object a line.
        case actions
        /// Nothing.
        case none
    }

    /// The configuration file.
    var config = "plugins.json"
    /// The input file; `-` for standard input.
    var input = "-"
    /// What is printed.
    var print = Print.state
    /// Whether bad data, and files that their group may write to, end the run.
    var isStrict = false
    /// Whether plugins that are refused or missing are left out instead of ending the run before it begins.
    var keepsGoing = false

    /// How long effects may take to finish at the end.
    var grace = Duration.seconds(10)

    /// The defaults.
    init() {}

    /// Reads the arguments behind `run`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let options = try OptionReader(
            arguments, of: "run",
            options: [
                .value("--config", "a configuration file"),
                .value("--input", "a file, or - for standard input"),
                .choice("--print", Print.allCases.map(\.rawValue)), .flag("--strict"), .flag("--keep-going"),
                .value("--grace", "a number of seconds"),
            ])
        config = options["--config"] ?? config
        input = options["--input"] ?? input
        print = options["--print"].flatMap(Print.init(rawValue:)) ?? print
        isStrict = options["--strict"] != nil
        keepsGoing = options["--keep-going"] != nil
        if let text = options["--grace"] {
            guard let seconds = Double(text), (0...86_400).contains(seconds) else {
                throw .invalidValue(
                    option: "--grace", found: text, expected: ["a number of seconds from 0 to 86400"])
            }
            grace = .seconds(seconds)
        }
    }
}
