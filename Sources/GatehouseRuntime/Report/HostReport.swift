// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseLibrary
package import GatehouseSDK
internal import GatehouseSupport

/// Something an operator should know that happened while actions ran; the host continues.
package enum HostReport: Sendable, Equatable, CustomStringConvertible {
    /// A line of input that is no action.
    case rejectedLine(input: String, line: Int, column: Int, reason: String)
    /// A line whose end was not waited for, because the run is to end.
    case unfinishedLine(input: String, line: Int, bytes: Int)
    /// A line without its end, whose writer has gone.
    case abandonedLine(input: String, line: Int, bytes: Int)
    /// An input that cannot be read any more, while others can.
    case lostInput(String)
    /// A payload that the plugin's action type does not take; the plugin did not see the action.
    case undecodable(
        source: ActionSource, column: Int?, type: String, instance: String, failure: CodingFailure)
    /// An output that has no wire form; nobody sees it.
    case unwritable(instance: String, failure: CodingFailure)
    /// A state that a foreign plugin has made of an action, and that is none; the one before stays.
    case unusableState(source: ActionSource, type: String, instance: String, failure: CodingFailure)
    /// An output that the instance may not emit.
    case refusedOutput(instance: String, type: String, reason: String)
    /// A place of the state that a gate follows and that cannot be read; the gate stays where it is.
    case unreadableGate(instance: String, pointer: JSONPointer, failure: CodingFailure)
    /// An action that input may not carry.
    case refusedInput(source: ActionSource, type: String, reason: String)
    /// A line that has ended the host too often, and is not processed any more.
    case setAside(source: ActionSource, type: String, reason: String)
    /// A host action that cannot be done.
    case refusedHostAction(source: ActionSource, type: String, reason: String)
    /// Input that has not been read for a while, because so many effects are running, until so many are left.
    case heldInput(effects: Int, until: Int)
    /// An input that led to more outputs than it may.
    case cut(CutReport)
    /// Something about the control socket and its clients.
    case control(String)
    /// Something about the cluster that the host is a member of.
    case cluster(ClusterNotice)
    /// A line that a plugin wrote.
    case log(PluginLog.Level, instance: String, line: String)
    /// An instance has said that it is failing, or that it no longer is.
    case health(PluginHealth, instance: String)
    /// An action that an instance says it has not done, by its local name.
    case failed(action: String, instance: String, reason: String)
    /// Something has happened to the worker of an instance.
    case worker(instance: String, String)
    /// A line that the worker of an instance has written to its standard output or error.
    case workerOutput(instance: String, line: String)
    /// Something about the spans that the host sends.
    case traces(String)
    /// A number that an instance counts or measures, and that is not kept.
    case refusedNumber(instance: String, name: String, reason: String)
    /// So many reports were not told because many of their kind were before; the last of them.
    indirect case more(Int, last: HostReport)

    /// One line without control characters: names from the input can neither begin a line nor move the terminal.
    package var description: String { Quotation.bare(text) }

    /// The sentence, with names as they came.
    private var text: String {
        switch self {
        case .rejectedLine(let input, let line, let column, let reason):
            "\(input):\(line):\(column): \(reason)"
        case .unfinishedLine(let input, let line, let bytes):
            "\(input):\(line):1: the run ends before this line is complete; "
                + "its \(bytes) bytes so far are discarded"
        case .abandonedLine(let input, let line, let bytes):
            "\(input):\(line):1: its writer left before this line was complete; its \(bytes) bytes so far are discarded"
        case .lostInput(let sentence):
            sentence
        case .unwritable(let instance, let failure):
            "\(instance): an action that it emits cannot be written as JSON: \(failure)"
        case .undecodable(let source, let column, let type, let instance, let failure):
            "\(Self.place(source, column: column)): \(type) for \(instance): the payload does not fit: \(failure)"
        case .unusableState(let source, let type, let instance, let failure):
            "\(Self.place(source, column: nil)): \(type) for \(instance): expected \(failure.expected), found \(failure.found); the state stays as it was"
        case .refusedOutput(let instance, let type, let reason):
            "\(instance): may not emit \(type): \(reason)"
        case .unreadableGate(let instance, let pointer, let failure):
            "\(instance): its gate follows the state at \(pointer), which cannot be written as JSON: \(failure); the gate stays as it is"
        case .refusedInput(let source, let type, let reason),
            .refusedHostAction(let source, let type, let reason):
            "\(Self.place(source, column: nil)): \(type): \(reason)"
        case .setAside(let source, let type, let reason):
            "\(Self.place(source, column: nil)): \(type) is set aside: \(reason)"
        case .heldInput(let effects, let limit):
            "input waits, because \(effects) effects are running; it is read again when \(limit) are left"
        case .cut(let cut):
            "\(Self.place(cut.source, column: nil)): \(cut.type): \(cut.sentence)"
        case .control(let sentence):
            "control: \(sentence)"
        case .traces(let sentence):
            "traces: \(sentence)"
        case .cluster(let notice):
            "\(notice)"
        case .log(_, let instance, let line), .workerOutput(let instance, let line):
            "\(instance): \(line)"
        case .health(.failing(let reason), let instance):
            "\(instance): is failing: \(reason)"
        case .health(.ok, let instance):
            "\(instance): is no longer failing"
        case .failed(let action, let instance, let reason):
            "\(instance): has not done \(Quotation.of(action)): \(reason)"
        case .worker(let instance, let sentence):
            "\(instance): \(sentence)"
        case .refusedNumber(let instance, let name, let reason):
            "\(instance): its number \(Quotation.of(name)) is not kept: \(reason)"
        case .more(let count, let last):
            "… and \(count.grouped) more like it, the last: \(last.text)"
        }
    }

    /// Where an action came from: a line of input, or the instance that emitted it.
    private static func place(_ source: ActionSource, column: Int?) -> String {
        if let instance = source.instance { return "from \(instance)" }
        guard let column else { return "\(source.file):\(source.line)" }
        return "\(source.file):\(source.line):\(column)"
    }
}

extension HostReport {
    /// Whether it is about bad data: strict runs stop there.
    var isBadData: Bool {
        switch self {
        case .rejectedLine, .undecodable, .unwritable, .unusableState, .unreadableGate, .refusedInput,
            .refusedHostAction,
            .cut:
            true
        case .unfinishedLine, .abandonedLine, .lostInput, .setAside, .refusedOutput, .heldInput, .control,
            .cluster,
            .log,
            .health,
            .failed, .worker, .workerOutput, .refusedNumber, .traces, .more:
            false
        }
    }

    /// What makes two reports alike, so that the thousandth need not be printed; nil for a report that is always printed.
    ///
    /// There are as many as there are things to expect of an input, and instances to expect them.
    package var kind: String? {
        switch self {
        case .rejectedLine(_, _, _, let reason): Self.expectation(in: reason)
        case .undecodable(_, _, _, let instance, let failure): "misfit \(instance) \(failure.expected)"
        case .unwritable(let instance, let failure): "unwritable \(instance) \(failure.expected)"
        case .unusableState(_, _, let instance, _): "state \(instance)"
        case .refusedOutput(let instance, _, _): "output \(instance)"
        case .refusedInput(_, _, let reason): reason
        case .refusedHostAction(_, let type, _): type
        case .cut: "cut"
        case .abandonedLine: "abandoned"
        case .lostInput: "lost input"
        case .control: "control"
        case .cluster(.rejected), .cluster(.unwritable): "cluster"
        case .unreadableGate(let instance, _, _): "gate \(instance)"
        case .health(_, let instance): "health \(instance)"
        case .failed(_, let instance, _): "failed \(instance)"
        case .refusedNumber(let instance, _, _): "number \(instance)"
        case .unfinishedLine, .setAside, .heldInput, .cluster, .log, .worker, .workerOutput, .traces, .more:
            nil
        }
    }

    /// A reason up to where it says what was found instead.
    private static func expectation(in reason: String) -> String {
        let found = Array(", found".utf8)
        let bytes = Array(reason.utf8)
        let end = bytes.indices.first { bytes[$0...].starts(with: found) }
        return String(decoding: bytes[..<(end ?? bytes.count)], as: UTF8.self)
    }
}
