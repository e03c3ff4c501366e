// SPDX-License-Identifier: Apache-2.0

package import GatehouseLibrary
internal import GatehouseManifest
package import GatehousePlan
package import GatehouseSupport

/// Tries the plugins of a plan in a child of the host before any of their code runs in the host itself.
///
/// New images go into one child, very many into a few at once. When an image ends its child, the last reported step shows the
/// culprit; it is refused, and the rest continues in another child.
package struct Rehearsal {
    /// The plan to try.
    private let plan: HostPlan
    /// Locates the files that images are mapped from.
    private let images: ImageCache
    /// The states that instances will take over, by id.
    private let states: [String: VersionedState]
    /// The request to end; nil where there is none.
    private let stop: StopRequest?

    /// Creates a rehearsal of the instances of a plan.
    ///
    /// - Parameters:
    ///   - states: copies of the states that instances will take over, by id.
    ///   - images: locates the files that images are mapped from.
    ///   - stop: the request to end; nil where there is none.
    package init(
        of plan: HostPlan, takingOver states: [String: VersionedState] = [:], images: ImageCache,
        stop: StopRequest? = nil
    ) {
        self.plan = plan
        self.images = images
        self.states = states
        self.stop = stop
    }

    /// Returns the plan without the instances that failed; a plan that cannot start anyway is unchanged.
    ///
    /// - Returns: nil when the end was requested.
    package func result() -> HostPlan? {
        guard plan.failure == nil else { return plan }
        // Without an image cache, results are not cached either.
        let isKept = plan.configuration.images == .cache
        let memory = isKept ? RehearsalMemory(in: images.folder, trust: images.trust) : nil
        let acts = acts.filter { memory?.knows($0) != true }.compactMap(placed)
        // Those of workers have children of their own, with the rights of workers, and those of installed versions have children of these.
        let kinds = Dictionary(grouping: acts) { Kind(isInWorkers: $0.isInWorkers, program: $0.program) }
        let groups = kinds.sorted { $0.key < $1.key }.flatMap { kind, acts in
            stride(from: 0, to: acts.count, by: RehearsalGroup.size).map { start in
                RehearsalGroup(
                    program: kind.program,
                    acts: Array(acts[start..<min(start + RehearsalGroup.size, acts.count)]),
                    limit: .seconds(plan.configuration.limits.rehearsal), stop: stop?.descriptor)
            }
        }
        let reports = Parallel.map(groups, from: 2) { $0.perform() }
        if reports.contains(where: \.isStopped) { return nil }
        memory?.remember(reports.flatMap(\.passed))
        let refused = reports.reduce(into: [:]) { all, report in
            all.merge(report.refused) { first, _ in first }
        }
        let obstacle = reports.lazy.compactMap(\.obstacle).first
        return plan.rehearsed(
            refusing: refused,
            obstacle: obstacle.map {
                // Code that nobody has tried runs with the rights of the host only where the operator wants it so.
                Confinement.level == .off
                    ? Diagnostic(.warning, "plugins are loaded without a rehearsal, because \($0)")
                    : Diagnostic(.error, "plugins are not loaded, because \($0)")
            })
    }

    /// What acts have in common that one child tries.
    private struct Kind: Hashable, Comparable {
        /// Whether it has the rights of workers.
        let isInWorkers: Bool
        /// Whose child it is.
        let program: String

        static func < (one: Kind, other: Kind) -> Bool {
            (one.isInWorkers ? 1 : 0, one.program) < (other.isInWorkers ? 1 : 0, other.program)
        }
    }

    /// The images of the plan, each once, with all their instances.
    private var acts: [RehearsalAct] {
        var places: [Digest: Int] = [:]
        var acts: [RehearsalAct] = []
        for planned in plan.instances {
            // A quarantined library is not loaded.
            guard planned.quarantine == nil, let (content, note) = planned.image else { continue }
            if let place = places[content.digest] {
                acts[place].instances.append(planned)
                acts[place].states[planned.id] = states[planned.id]
            } else {
                places[content.digest] = acts.count
                acts.append(
                    RehearsalAct(
                        content: content,
                        broughtAlong: planned.library?.verdict.broughtAlong ?? content.digest,
                        note: note, instances: [planned],
                        states: states[planned.id].map { [planned.id: $0] } ?? [:]))
            }
        }
        return acts
    }

    /// Returns an act that a child can find; nil for an image that cannot be mapped, which the assembly reports.
    private func placed(_ act: RehearsalAct) -> RehearsalAct? {
        var act = act
        do {
            // It has none where it is mapped from memory.
            act.path = try images.path(of: act.content, from: plan.configuration.images)
        } catch {
            return nil
        }
        return act
    }
}
