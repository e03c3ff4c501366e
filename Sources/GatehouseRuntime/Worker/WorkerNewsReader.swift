// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
package import GatehouseSDK
package import GatehouseSupport

/// Decodes the messages of one process of a worker, and refuses what no honest worker writes.
///
/// It knows neither threads nor links, so a simulated host reads by it, too.
package struct WorkerNewsReader: ~Copyable {
    /// The most outputs before a checkpoint, and the most copies.
    private static let most = 1 << 20

    /// A message, or a checkpoint with all that came before it.
    package enum News {
        /// The instance is there.
        case ready(WorkerLink.Instance)
        /// It cannot be made.
        case refused(String)
        /// It does not take its settings.
        case misfit(CodingFailure)
        /// A state is taken over, or does not fit.
        case restored(Result<Value, CodingFailure>)
        /// So many orders are done, and what has become of them: the effects that have begun, and those that have ended.
        case checkpoint(
            TakenCheckpoint, after: UInt64, begun: [(number: UInt64, sequence: UInt64, value: Value)],
            ended: [UInt64])
        /// Something that is said besides.
        case note(WorkerNotes.Note)
    }

    /// The id of the instance.
    private let id: String
    /// Gives the global type of one that has the prefix of the instance.
    private let global: (String) -> String
    /// Parses actions.
    private var lines = RecordedLines()
    /// Where the outputs that follow come from.
    private var source = ActionSource(file: "", function: "", line: 0, info: nil)
    /// What there is for the next checkpoint.
    private var next = TakenCheckpoint()

    /// A reader for a process that has said nothing yet.
    ///
    /// - Parameters:
    ///   - id: that of the instance.
    ///   - global: gives the global type of one that has the prefix of the instance.
    package init(of id: String, global: @escaping (String) -> String) {
        self.id = id
        self.global = global
    }

    /// Reads a message; nil for one that belongs to a checkpoint to come.
    ///
    /// - Throws: what no honest worker writes.
    package mutating func read(_ frame: inout Frame) throws(FrameFailure) -> News? {
        let news = try content(of: &frame)
        try frame.finish()
        return news
    }

    /// Reads what a message says.
    private mutating func content(of frame: inout Frame) throws(FrameFailure) -> News? {
        switch WorkerNews(rawValue: frame.kind) {
        case .ready: return .ready(try WorkerLink.Instance(&frame))
        case .refused: return .refused(try frame.text())
        case .misfit: return .misfit(try frame.failure())
        case .restored:
            return .restored(try frame.flag() ? .success(try frame.value()) : .failure(try frame.failure()))
        case .checkpoint: return try checkpoint(in: &frame)
        case .report: return .note(try WorkerNotes.read(&frame, of: id, global))
        case .copy:
            guard next.copies.count < Self.most else { throw .badNumber("a number of copies") }
            next.copies.append((try frame.number(), try frame.value()))
        case .source: source = try frame.source()
        case .output: try addOutput(&frame)
        case nil: throw .unexpected(kind: frame.kind)
        }
        return nil
    }

    /// Reads an output.
    private mutating func addOutput(_ frame: inout Frame) throws(FrameFailure) {
        let (sequence, isLate) = (try frame.number(UInt64.self), try frame.flag())
        let line = UInt(try frame.number(UInt64.self))
        guard next.outputs.count < Self.most else { throw .badNumber("a number of outputs") }
        guard let action = lines.action(try frame.bytes()),
            let local = LiftedNames.strip(id + "/", from: action.type.name)
        else { throw .badNumber("an action") }
        next.outputs.append(
            TakenCheckpoint.Output(
                sequence: sequence, isLate: isLate,
                action: action.renamed(ActionType(local, knownWith: action.type)),
                source: source.at(line: line)))
    }

    /// Reads a checkpoint: from here on, what came before it counts.
    private mutating func checkpoint(in frame: inout Frame) throws(FrameFailure) -> News {
        let orders = try frame.number(UInt64.self)
        if try frame.flag() { next.state = try frame.value() }
        next.effects = try WorkerCounts(&frame)
        if try frame.flag() { next.account = try WorkerAccount(&frame) }
        var begun: [(number: UInt64, sequence: UInt64, value: Value)] = []
        for _ in 0..<(try frame.number(UInt32.self)) {
            begun.append((try frame.number(), try frame.number(), try frame.value()))
        }
        var ended: [UInt64] = []
        for _ in 0..<(try frame.number(UInt32.self)) { ended.append(try frame.number()) }
        defer { next = TakenCheckpoint() }
        return .checkpoint(next, after: orders, begun: begun, ended: ended)
    }
}

extension WorkerLink.Instance {
    /// Reads what a process says of its instance.
    fileprivate init(_ frame: inout Frame) throws(FrameFailure) {
        keepsState = try frame.flag()
        let version = try frame.number(UInt64.self)
        guard let version = Int(exactly: version), version > 0 else { throw .badNumber("a version") }
        stateVersion = version
        intercepts = try frame.flag()
    }
}
