// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest

/// A problem with a command line.
enum UsageError: Error, Equatable {
    /// There is no command of this name.
    case unknownCommand(String)
    /// The command has no such request; `known` lists those it has.
    case unknownRequest(String, known: [String], command: String = "ctl")
    /// The option belongs to another request.
    case foreignOption(String, of: String, found: String)
    /// The command has no such option.
    case unknownOption(String, command: String, known: [String])
    /// The option needs a value and has none.
    case missingValue(option: String, expected: String)
    /// The option does not accept this value.
    case invalidValue(option: String, found: String, expected: [String])
    /// The value does not have the expected form, which is given in words.
    case malformedValue(option: String, found: String, expected: String)
    /// The option takes no value.
    case unexpectedValue(option: String, found: String)
    /// The option was given twice.
    case repeatedOption(String)
    /// The two options exclude each other.
    case exclusiveOptions(String, String)
    /// The command lacks a required argument.
    case missingArgument(String, command: String)
    /// The argument is neither an option nor a value.
    case unexpectedArgument(String, command: String)
}

extension UsageError: CustomStringConvertible {
    var description: String {
        switch self {
        case .unknownCommand(let found):
            "unknown command \"\(found)\"\(Self.suggestion(found, CommandTable.names)); commands: \(CommandTable.names.joined(separator: ", "))"
        case .unknownRequest(let found, let known, let command):
            "unknown request \"\(found)\"\(Self.suggestion(found, known)); see gatehouse help \(command)"
        case .foreignOption(let option, let owner, let found):
            "\(option) belongs to \(owner), found it with \(found); leave it out"
        case .unknownOption(let found, let command, let known):
            "unknown option \"\(found)\"\(Self.suggestion(found, known)); see gatehouse help \(command)"
        case .missingValue(let option, let expected):
            "\(option) needs a value: \(expected)"
        case .invalidValue(let option, let found, let expected):
            "\(option): expected \(Self.choice(of: expected)), found \"\(found)\"\(Self.suggestion(found, expected))"
        case .malformedValue(let option, let found, let expected):
            "\(option): expected \(expected), found \"\(found)\""
        case .unexpectedValue(let option, let found):
            "\(option) takes no value, found \"\(found)\""
        case .repeatedOption(let option):
            "\(option) is given twice; give it once"
        case .exclusiveOptions(let first, let second):
            "\(first) and \(second) are both given; give one of them"
        case .missingArgument(let expected, let command):
            "\(command) needs \(expected); see gatehouse help \(command)"
        case .unexpectedArgument(let found, let command):
            "unexpected argument \"\(found)\"; see gatehouse help \(command)"
        }
    }

    /// Joins words with an "or" before the last.
    private static func choice(of words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }

    /// The end of a sentence that suggests a similar name; empty when there is none.
    private static func suggestion(_ name: String, _ known: [String]) -> String {
        NearMiss.suggestion(for: name, among: known).map { ", did you mean \"\($0)\"?" } ?? ""
    }
}
