// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest

/// What is wrong with a command line.
enum UsageError: Error, Equatable {
    /// There is no command of this name.
    case unknownCommand(String)
    /// No such request of a command; the words of those there are.
    case unknownRequest(String, known: [String], command: String = "ctl")
    /// An option that belongs to another request.
    case foreignOption(String, of: String, found: String)
    /// No such option of this command.
    case unknownOption(String, command: String, known: [String])
    /// An option that stands alone but needs a value.
    case missingValue(option: String, expected: String)
    /// A value that the option does not take.
    case invalidValue(option: String, found: String, expected: [String])
    /// A value that is not of the form that the option takes; what that is, in words.
    case malformedValue(option: String, found: String, expected: String)
    /// A value for an option that takes none.
    case unexpectedValue(option: String, found: String)
    /// An option given twice.
    case repeatedOption(String)
    /// Two options of which only one makes sense.
    case exclusiveOptions(String, String)
    /// A command without what it is about.
    case missingArgument(String, command: String)
    /// Something that is neither option nor value.
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

    /// Words with an "or" before the last.
    private static func choice(of words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }

    /// The end of a sentence that names a near miss; empty when there is none.
    private static func suggestion(_ name: String, _ known: [String]) -> String {
        NearMiss.suggestion(for: name, among: known).map { ", did you mean \"\($0)\"?" } ?? ""
    }
}
