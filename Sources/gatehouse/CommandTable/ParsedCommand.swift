// SPDX-License-Identifier: Apache-2.0

/// A command whose arguments are parsed; nothing has been done yet.
protocol ParsedCommand: SendableMetatype {
    /// Parses what stands after the command's name.
    init(options: OptionReader) throws(UsageError)

    /// Does what was asked for, and returns the exit code.
    func run() throws(Ended) -> ExitCode
}
