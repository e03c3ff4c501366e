// SPDX-License-Identifier: Apache-2.0

/// How a command ended; the numbers are those of `sysexits.h`.
enum ExitCode: Int32 {
    /// The command has done everything it was asked for.
    case success = 0
    /// The command line makes no sense, or names an input that cannot be read.
    case usage = 64
    /// Bad data or an error that an instance reported, with `--strict`.
    case badData = 65
    /// A plugin that the configuration names was refused.
    case pluginRefused = 69
    /// The host that a command is about does not answer.
    static let unavailable = ExitCode.pluginRefused
    /// Something that should not happen, such as a full disk behind standard output.
    case internalError = 70
    /// The journal cannot be opened, read or written.
    case journalFailed = 74
    /// Something that was accepted was not done: an instance said so, or had not finished in time.
    case givenUp = 75
    /// The configuration is wrong.
    case configuration = 78
}
