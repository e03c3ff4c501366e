// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// Takes what one process of a worker tells, on a thread of its own, and believes none of it before it was looked at.
final class WorkerAnswers {
    /// How often the thread looks for answers before it sleeps: never, because the drain and the worker need the processors more. On two,
    /// an answer took twice as long beside a thread that looked 2,000 times.
    private static let spins = 0
    /// So many outputs there may be before a checkpoint.
    private static let mostOutputs = 1 << 20

    /// Who is told.
    private let link: WorkerLink
    /// Wakes the thread.
    private let bell: RingBell
    /// Cuts what comes into messages.
    private var frames = FrameReader(limit: WorkerRequest.longestMessage)
    /// Parses actions.
    private var lines = RecordedLines()
    /// Where the outputs that follow come from.
    private var source = ActionSource(file: "", function: "", line: 0, info: nil)
    /// What there is for the next checkpoint.
    private var next = TakenCheckpoint()

    /// The answers of a process that has told nothing yet.
    init(of link: WorkerLink, _ bell: RingBell) {
        self.link = link
        self.bell = bell
    }

    /// Why a process is to be ended.
    enum Objection {
        /// It has told what cannot be.
        case lie(String)
        /// It has done nothing of what it was given within so long.
        case hung(Duration)
        /// It does not make the instance that the process before it had.
        case refused(String)
    }

    /// Says so.
    private struct Refusal: Error {
        /// Why.
        let reason: String
    }

    /// Takes what comes until the process is over.
    ///
    /// - Parameters:
    ///   - limit: how long it may take for what it is given.
    ///   - isExcused: whether it may take longer.
    /// - Returns: why it is to be ended; nil for one that is over.
    func take(
        _ own: RingMemory, _ other: RingMemory, atMost limit: Duration,
        unless isExcused: () -> Bool = { false }
    ) -> Objection? {
        var reader = RingReader(own: own, other: other)
        var room = RingRoom(own: own, other: other)
        let clock = ContinuousClock()
        var last = (done: link.waiting.done, isIdle: true, time: clock.now)
        do {
            while true {
                let heard = bell.count
                let isOver = link.isOver.load(ordering: .acquiring)
                let came = try frames.read(&reader) { frame in
                    try take(&frame)
                    try frame.finish()
                }
                let isSent = try link.send(noting: &room)
                if came { continue }
                // What was told before the end was there when the end was seen.
                if isOver { return nil }
                // Nobody wakes this thread when something is given that the worker does not answer.
                let waiting = link.waiting
                // What has come since the last look has just begun.
                if waiting.count == 0 || waiting.done != last.done || last.isIdle {
                    last = (waiting.done, waiting.count == 0, clock.now)
                } else if last.time.duration(to: clock.now) >= limit {
                    guard isExcused() else { return .hung(limit) }
                    last.time = clock.now
                }
                _ =
                    try isSent
                    ? bell.wait(for: reader, heard: heard, spins: Self.spins, atMost: limit / 4)
                    : bell.wait(for: reader, or: room, heard: heard, spins: Self.spins, atMost: limit / 4)
            }
        } catch {
            return (error as? Refusal).map { .refused($0.reason) } ?? .lie("\(error)")
        }
    }

    /// Takes a message.
    private func take(_ frame: inout Frame) throws {
        switch WorkerNews(rawValue: frame.kind) {
        case .ready:
            let keepsState = try frame.flag()
            let version = try frame.number(UInt64.self)
            guard let stateVersion = Int(exactly: version), stateVersion > 0 else {
                throw FrameFailure.badNumber("a version")
            }
            let instance = WorkerLink.Instance(
                keepsState: keepsState, stateVersion: stateVersion, intercepts: try frame.flag())
            // Those that go on from the first one are told of by nobody.
            if !link.hasBegun { link.ready = instance }
        case .refused:
            let reason = try frame.text()
            if link.hasServed { throw Refusal(reason: reason) }
            link.tell(.refused(reason))
        case .misfit:
            let failure = try frame.failure()
            if link.hasServed { throw Refusal(reason: "it does not take its settings: \(failure)") }
            link.tell(.misfit(failure))
        case .restored:
            if try frame.flag() {
                try link.tell(restored: .success(try frame.value()))
            } else {
                try link.tell(restored: .failure(try frame.failure()))
            }
        case .copy:
            guard next.copies.count < Self.mostOutputs else {
                throw FrameFailure.badNumber("a number of copies")
            }
            next.copies.append((try frame.number(), try frame.value()))
        case .source: source = try frame.source()
        case .output: try takeOutput(&frame)
        case .checkpoint: try takeCheckpoint(&frame)
        case .report: link.note(try WorkerNotes.read(&frame, of: link.id, link.global))
        case nil: throw FrameFailure.unexpected(kind: frame.kind)
        }
    }

    /// Takes an output.
    private func takeOutput(_ frame: inout Frame) throws {
        let (sequence, isLate) = (try frame.number(UInt64.self), try frame.flag())
        let line = UInt(try frame.number(UInt64.self))
        guard next.outputs.count < Self.mostOutputs else {
            throw FrameFailure.badNumber("a number of outputs")
        }
        guard let action = lines.action(try frame.bytes()),
            let local = LiftedNames.strip(link.id + "/", from: action.type.name)
        else { throw FrameFailure.badNumber("an action") }
        next.outputs.append(
            TakenCheckpoint.Output(
                sequence: sequence, isLate: isLate,
                action: action.renamed(ActionType(local, knownWith: action.type)),
                source: source.at(line: line)))
    }

    /// Takes a checkpoint: from here on, what came before it counts.
    private func takeCheckpoint(_ frame: inout Frame) throws {
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
        try link.keep(&next, after: orders, begun, ended)
        next = TakenCheckpoint()
    }
}
