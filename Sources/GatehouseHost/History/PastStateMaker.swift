// SPDX-License-Identifier: Apache-2.0

public import GatehouseLibrary
public import GatehouseSDK
public import GatehouseSupport

/// Makes states of the past by the generations that made them: nothing of them runs in this process.
///
/// Read-only, also beside the host that writes the journal. Used from one thread.
public final class PastStateMaker {
    /// The way over the journal.
    private let walk: PastWalk
    /// Who reduces what.
    private let stages: PastWalk.Stages
    /// Where instances of a present plan keep data; nil without one.
    private let scratch: ScratchFolder?

    /// States of the journal in a folder.
    ///
    /// - Parameters:
    ///   - isStrict: whether files that their group may write to are refused.
    ///   - present: gives the plan that reduces what no generation is recorded for, and the cache of its images; asked only where there
    ///     is such a part.
    public init(
        journal: String, isStrict: Bool, present: () throws(PastFailure) -> (HostPlan, ImageCache)
    ) throws(PastFailure) {
        do throws(JournalFailure) {
            walk = try PastWalk(folder: journal, acceptsLoss: false)
        } catch {
            throw .journal(error)
        }
        var stage: InProcessStage?
        if try walk.hasUnrecorded() {
            let (plan, images) = try present()
            let folder: ScratchFolder
            do throws(ChildFailure) { folder = try ScratchFolder() } catch { throw .child("\(error)") }
            scratch = folder
            stage = InProcessStage(
                images: images, dependencies: .past(at: PastClock(), dataDirectory: folder.path), plan: plan)
        } else {
            scratch = nil
        }
        stages = PastWalk.Stages(
            recorded: ChildStage(isStrict: isStrict, patience: Self.patience), present: stage)
    }

    /// So long may a child go without coming any further.
    private static let patience = Duration.seconds(30)

    /// The last action; 0 where there is none.
    public func last() throws(PastFailure) -> UInt64 { try walk.last() }

    /// The whole state behind an action, before another generation took over; behind 0 that with which the first one began.
    public func state(behind sequence: UInt64) throws(PastFailure) -> Value {
        try walk.place(behind: sequence, enteringNext: sequence == 0, by: stages).state.whole
    }

    /// What an operator should know about the way there.
    public var findings: [Finding] { walk.findings }
}
