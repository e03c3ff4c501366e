// SPDX-License-Identifier: Apache-2.0

public import GatehouseSDK

/// A host with the state that another one had behind some action: nothing in it does more than answer, and nothing is written.
///
/// The work of effects is not done, time is what the journal says, and data of instances goes to a folder that is removed. Used
/// from one thread.
public final class PastHost {
    /// The host; its instances know the state, and nothing was emitted.
    let host: Host
    /// Goes over the journal.
    let recovery: Recovery
    /// Says what time it is.
    let clock: PastClock
    /// What was reported.
    let reports: PastReports
    /// Where instances keep data; goes with this.
    private let folder: ScratchFolder

    /// Why a host cannot be brought there.
    public enum Failure: Error {
        /// The configuration or its plugins; all of it.
        case findings(Findings)
        /// The journal.
        case journal(JournalFailure)
        /// The state of then, which nothing is left to make of; a sentence.
        case forgotten(String)
        /// The folder for data; a sentence.
        case folder(String)
    }

    /// Brings a host to where it was behind an action: by the newest good snapshot before that, and its reducers from there.
    ///
    /// - Parameters:
    ///   - sequence: the number of the action; 0 for the beginning.
    ///   - onAction: told about each action that is dispatched later, before it is processed.
    public init(
        _ plan: HostPlan, behind sequence: UInt64, in journal: String, images: ImageCache,
        onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)? = nil
    ) throws(Failure) {
        let clock = PastClock()
        let reports = PastReports()
        do {
            folder = try ScratchFolder()
        } catch {
            throw .folder("\(error)")
        }
        do throws(JournalFailure) {
            recovery = try Recovery(folder: journal, acceptsLoss: false, notAbove: sequence)
        } catch {
            throw .journal(error)
        }
        if let sentence = try Self.objection(to: sequence, in: journal) { throw .forgotten(sentence) }
        let desk = ReportDesk { reports.add($0) }
        let assembler = Assembler(
            cache: images,
            dependencies: HostDependencies(
                effects: { _ in EffectTerms(clock: clock.hostClock, execution: .stubbed) },
                dataDirectory: folder.path, report: { desk.send($0) }))
        do throws(Findings) {
            // What it shares with other hosts is the cache of images, which is used on this thread only: nothing reloads here.
            nonisolated(unsafe) let assembly = try recovery.assemble(plan, by: assembler)
            host = Host(lookingBack: unsafe assembly, reports: desk, onAction: onAction)
        } catch {
            throw .findings(error)
        }
        self.clock = clock
        self.reports = reports
        try advance(to: sequence)
        host.queue.withExclusiveAccess { [host] in host.generation.startSilently() }
        reports.clear()
    }

    /// Why the state behind an action cannot be made any more; nil when it can.
    private static func objection(to sequence: UInt64, in journal: String) throws(Failure) -> String? {
        do throws(JournalFailure) {
            let earliest = try History(folder: journal).earliestState()
            guard sequence < earliest else { return nil }
            return
                "the state behind action \(sequence) is gone with what led to it; the earliest that the journal keeps is that behind \(earliest)"
        } catch {
            throw .journal(error)
        }
    }

    /// Lets the reducers go over all that the journal has up to an action.
    func advance(to sequence: UInt64) throws(Failure) {
        guard sequence > recovery.sequence else { return }
        do throws(JournalFailure) {
            try host.queue.withExclusiveAccess { [host, recovery] in
                Result { () throws(JournalFailure) in
                    try recovery.replay(in: host.generation, to: sequence)
                }
            }.get()
        } catch {
            throw .journal(error)
        }
    }

    /// The state at a place; nil when there is nothing.
    ///
    /// - Throws: when a plugin's state does not encode.
    public func state(at pointer: JSONPointer) throws(CodingFailure) -> Value? {
        try host.queue.withExclusiveAccess { [host] in
            Result { () throws(CodingFailure) in
                let tree = host.generation.state.state
                return pointer == .whole ? try tree.snapshot() : try tree.value(at: pointer)
            }
        }.get()
    }

    /// What an operator should know about the way there.
    public var findings: [Finding] { recovery.findings }

    /// The last action that is in the state.
    public var sequence: UInt64 { recovery.sequence }
}

extension PastHost.Failure {
    /// What is wrong, in sentences.
    var sentences: [String] {
        switch self {
        case .findings(let findings): findings.all.map(\.description)
        case .journal(let failure): ["\(failure)"]
        case .forgotten(let sentence), .folder(let sentence): [sentence]
        }
    }
}
