// SPDX-License-Identifier: Apache-2.0

public import GatehouseSDK

/// Something an operator should know that happened while actions ran; the host goes on.
public enum HostReport: Sendable, Equatable {
    /// A line of input that is no action.
    case rejectedLine(input: String, line: Int, column: Int, reason: String)
    /// A payload that the plugin's action type does not take; the plugin did not see the action.
    case undecodable(
        source: ActionSource, column: Int?, type: String, instance: String, failure: CodingFailure)
    /// An output that has no wire form; nobody sees it.
    case unwritable(instance: String, failure: CodingFailure)
    /// An output that the instance may not emit.
    case refusedOutput(instance: String, type: String, reason: String)
    /// A host action that cannot be done.
    case refusedHostAction(source: ActionSource, type: String, reason: String)
    /// An input that led to more outputs than it may.
    case cut(CutReport)
    /// A line that a plugin wrote.
    case log(PluginLog.Level, instance: String, line: String)
}

extension HostReport {
    /// Whether it is about bad data: strict runs stop there.
    var isBadData: Bool {
        switch self {
        case .rejectedLine, .undecodable, .unwritable, .refusedHostAction, .cut: true
        case .refusedOutput, .log: false
        }
    }
}

extension HostReport: CustomStringConvertible {
    /// One line without control characters: names from the input can neither begin a line nor move the terminal.
    public var description: String { Quotation.bare(text) }

    /// The sentence, with names as they came.
    private var text: String {
        switch self {
        case .rejectedLine(let input, let line, let column, let reason):
            "\(input):\(line):\(column): \(reason)"
        case .unwritable(let instance, let failure):
            "\(instance): an action that it emits cannot be written as JSON: \(failure)"
        case .undecodable(let source, let column, let type, let instance, let failure):
            "\(Self.place(source, column: column)): \(type) for \(instance): the payload does not fit: \(failure)"
        case .refusedOutput(let instance, let type, let reason):
            "\(instance): may not emit \(type): \(reason)"
        case .refusedHostAction(let source, let type, let reason):
            "\(Self.place(source, column: nil)): \(type): \(reason)"
        case .cut(let cut):
            "\(Self.place(cut.source, column: nil)): \(cut.type): \(cut.sentence)"
        case .log(_, let instance, let line):
            "\(instance): \(line)"
        }
    }

    /// Where an action came from: a line of input, or the instance that emitted it.
    private static func place(_ source: ActionSource, column: Int?) -> String {
        if let instance = source.info { return "from \(instance)" }
        guard let column else { return "\(source.file):\(source.line)" }
        return "\(source.file):\(source.line):\(column)"
    }
}
