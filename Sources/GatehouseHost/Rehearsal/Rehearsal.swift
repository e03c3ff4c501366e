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
    /// Says where images are mapped from.
    private let images: ImageCache
    /// Asks to end; nil where nobody does.
    private let stop: StopRequest?

    /// A rehearsal of the instances of a plan.
    ///
    /// - Parameters:
    ///   - images: says where images are mapped from.
    ///   - stop: asks to end; nil where nobody does.
    public init(of plan: HostPlan, images: ImageCache, stop: StopRequest? = nil) {
        program = "/proc/self/exe"
        self.plan = plan
        self.images = images
        self.stop = stop
    }

    /// So many children that died may say where, which takes each a moment.
    private static let mostBacktraces = 3

    /// The plan without the instances that came to grief; one that does not start anyway is left as it is.
    ///
    /// - Returns: nil when somebody asked to end.
    public func result() -> HostPlan? {
        guard plan.failure == nil else { return plan }
        // Who wants no images left behind wants nothing left behind.
        let isKept = plan.configuration.images == .cache
        let memory = isKept ? RehearsalMemory(in: images.folder, trust: images.trust) : nil
        var acts = acts.filter { act in memory.map { !$0.knows($0.key(of: act)) } ?? true }.compactMap(placed)
        guard !acts.isEmpty else { return plan }
        var refused: [String: Finding] = [:]
        var deaths = 0
        do throws(RehearsalFailure) {
            let scratch = try ScratchFolder()
            while !acts.isEmpty {
                let job = RehearsalJob(images: acts.map(\.image), dataDirectory: scratch.path)
                let child = try RehearsalChild(
                    program, job: job.bytes, images: acts.compactMap(\.inherited),
                    tracesCalls: deaths < Self.mostBacktraces)
                let outcome = child.follow(
                    limit: .seconds(plan.configuration.limits.rehearsal), stop: stop?.descriptor)
                if outcome.end == .stopped { return nil }
                let account = RehearsalAccount(of: acts, outcome)
                if let memory { memory.remember(account.passed.map { memory.key(of: acts[$0]) }) }
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

    /// The images of the plan, each once, with all their instances.
    private var acts: [RehearsalAct] {
        var places: [Digest: Int] = [:]
        var acts: [RehearsalAct] = []
        for planned in plan.instances {
            guard let (content, note) = planned.image else { continue }
            if let place = places[content.digest] {
                acts[place].instances.append(planned)
            } else {
                places[content.digest] = acts.count
                acts.append(
                    RehearsalAct(
                        content: content,
                        broughtAlong: planned.library?.verdict.broughtAlong ?? content.digest,
                        note: note, instances: [planned]))
            }
        }
        return acts
    }

    /// An act that a child can find; nil for one that cannot be mapped from anywhere, which the assembly says.
    private func placed(_ act: RehearsalAct) -> RehearsalAct? {
        var act = act
        do {
            act.path = try images.path(of: act.content, from: plan.configuration.images)
        } catch {
            return nil
        }
        return act
    }
}
