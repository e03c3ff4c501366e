// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
private import Glibc

/// Tries the plugins of a plan in a child of the host before any of their code runs in the host itself.
///
/// All new images go into one child. When one of them ends it, what it did is known by the step that was told last; it is
/// refused, and the rest goes on in another child.
public struct Rehearsal {
    /// The host's own program.
    private let program: String
    /// What is to be tried.
    private let plan: HostPlan
    /// Asks to end; nil where nobody does.
    private let stop: StopRequest?

    /// A rehearsal of the instances of a plan.
    ///
    /// - Parameter stop: asks to end; nil where nobody does.
    public init(of plan: HostPlan, stop: StopRequest? = nil) {
        program = "/proc/self/exe"
        self.plan = plan
        self.stop = stop
    }

    /// So many children that died may say where, which takes each a moment.
    private static let mostBacktraces = 3

    /// The plan without the instances that came to grief; one that does not start anyway is left as it is.
    ///
    /// - Returns: nil when somebody asked to end.
    public func result() -> HostPlan? {
        guard plan.failure == nil else { return plan }
        var tried = Set<Digest>()
        var acts = plan.instances.compactMap { planned -> RehearsalAct? in
            guard let file = planned.library?.file, let note = planned.library?.verdict.note,
                tried.insert(file.digest).inserted
            else { return nil }
            return RehearsalAct(
                file: file, note: note,
                instances: plan.instances.filter { $0.library?.file?.digest == file.digest })
        }
        guard !acts.isEmpty else { return plan }
        var refused: [String: Finding] = [:]
        var deaths = 0
        do throws(RehearsalFailure) {
            let scratch = try ScratchFolder()
            while !acts.isEmpty {
                let job = RehearsalJob(images: acts.map(\.image), dataDirectory: scratch.path)
                let child = try RehearsalChild(
                    program, job: job.bytes, images: acts.map(\.file.descriptor),
                    tracesCalls: deaths < Self.mostBacktraces)
                let outcome = child.follow(
                    limit: .seconds(plan.configuration.limits.rehearsal), stop: stop?.descriptor)
                if outcome.end == .stopped { return nil }
                let account = RehearsalAccount(of: acts, outcome)
                refused.merge(account.refused) { first, _ in first }
                guard account.blamed || outcome.end == .finished else {
                    throw RehearsalFailure("gatehouse rehearse", reason: outcome.end.text ?? "it did nothing")
                }
                acts = account.left
                deaths += 1
            }
        } catch {
            return plan.refusing(refused, and: [Finding(.warning, error.description)])
        }
        return plan.refusing(refused)
    }
}
