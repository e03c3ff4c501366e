// SPDX-License-Identifier: Apache-2.0

internal import GatehouseChecks
internal import GatehouseSDK
internal import GatehouseSupport

/// The options of `gatehouse probe`.
struct ProbeOptions: Equatable {
    /// The path of the library.
    var file = ""
    /// A file with the settings of the instance; nil for none.
    var settings: String?
    /// A file with the state of an earlier version; nil for none.
    var state: String?
    /// The time at which the run begins, in seconds since 1970-01-01 00:00 UTC.
    var clock = ProbeRun.firstMoment
    /// How long the effects of one line may take.
    var limit = Duration.seconds(10)

    /// Parses the arguments after `probe`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let command = CommandTable.probe
        let options = try OptionReader(arguments, of: command)
        settings = options["--settings"]
        state = options["--state"]
        if let text = options["--clock"] {
            guard let seconds = UnixTime.seconds(in: text) else {
                throw .malformedValue(
                    option: "--clock", found: text, expected: "a moment such as 2026-01-31T12:00:00Z")
            }
            clock = seconds
        }
        if let text = options["--limit"] {
            guard let seconds = Double(text), (0...86_400).contains(seconds) else {
                throw .invalidValue(
                    option: "--limit", found: text, expected: ["a number of seconds from 0 to 86400"])
            }
            limit = .seconds(seconds)
        }
        guard let operand = options.operands.first(where: { !$0.isEmpty }) else {
            throw .missingArgument("a library file", command: command.name)
        }
        file = operand
    }
}
