// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// Reads what one process of a worker tells, on a thread of its own, and acts on it.
final class WorkerAnswers {
    /// How often the thread looks for answers before it sleeps: never, because the drain and the worker need the processors more. On two,
    /// an answer took twice as long beside a thread that looked 2,000 times.
    private static let spins = 0

    /// Who is told.
    private let link: WorkerLink
    /// Wakes the thread.
    private let bell: RingBell
    /// Cuts what comes into messages.
    private var frames = FrameReader(limit: WorkerRequest.longestMessage)
    /// Reads those.
    private var news: WorkerNewsReader
    /// Whether the process has made the instance, so that it hangs where it does nothing of what it alone is given.
    private var isMade = false

    /// The answers of a process that has told nothing yet.
    init(of link: WorkerLink, _ bell: RingBell) {
        self.link = link
        self.bell = bell
        news = WorkerNewsReader(of: link.id, global: link.global)
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
        var last = (done: link.waiting(withOwn: false).done, isIdle: true, time: clock.now)
        do {
            while true {
                let heard = bell.count
                let isOver = link.isOver.load(ordering: .acquiring)
                let came = try frames.read(&reader) { frame in try news.read(&frame).map(act) }
                let isSent = try link.send(noting: &room)
                if came { continue }
                // What was told before the end was there when the end was seen.
                if isOver { return nil }
                // Nobody wakes this thread when something is given that the worker does not answer.
                let waiting = link.waiting(withOwn: isMade)
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

    /// Acts on a message.
    private func act(on news: WorkerNewsReader.News) throws {
        switch news {
        case .ready(let instance):
            isMade = true
            // Those that go on from the first one are told of by nobody.
            if !link.hasBegun { link.ready = instance }
        case .refused(let reason):
            if link.hasServed { throw Refusal(reason: reason) }
            link.tell(.refused(reason))
        case .misfit(let failure):
            if link.hasServed { throw Refusal(reason: "it does not take its settings: \(failure)") }
            link.tell(.misfit(failure))
        case .restored(let state): try link.tell(restored: state)
        case .note(let note): link.note(note)
        case .checkpoint(var checkpoint, let orders, let begun, let ended):
            try link.keep(&checkpoint, after: orders, begun, ended)
        }
    }
}
