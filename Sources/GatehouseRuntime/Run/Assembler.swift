// SPDX-License-Identifier: Apache-2.0

package import GatehouseLibrary
package import GatehousePlan
internal import GatehouseSDK
package import GatehouseSupport

/// Turns a plan into instances: loads, lifts and gates; all problems at once.
///
/// Two steps, each only when the one before found nothing wrong: the plan, for which no code runs, and the loading of
/// images and making of instances.
package struct Assembler {
    /// The images of this process; shared with later assemblies.
    package let cache: ImageCache
    /// What the host can grant to instances.
    package let dependencies: HostDependencies

    /// Whether instances run in workers where the plan says so; otherwise all run in this process.
    private let startsWorkers: Bool
    /// Whether those run in workers whatever happens to the others that only the worker of an installed version can load; otherwise they
    /// are refused.
    private let startsVersions: Bool
    /// The ids of instances whose workers wait for a debugger.
    private let debugged: Set<String>
    /// The program that runs workers of libraries which fit this one.
    package var workerProgram = HostChild.ownProgram

    /// An assembler whose images are remembered in a cache.
    package init(
        cache: ImageCache, dependencies: HostDependencies, startsWorkers: Bool = false,
        startsVersions: Bool = false, debugging debugged: Set<String> = []
    ) {
        self.cache = cache
        self.dependencies = dependencies
        self.startsWorkers = startsWorkers
        self.startsVersions = startsVersions
        self.debugged = debugged
    }

    /// Instances that were made before it was known what state they take over; for one assembly.
    package struct Made {
        /// The state that their gates may follow.
        fileprivate let tree: StateTree
        /// The instances, by their ids; others are made with the assembly.
        fileprivate var instances: [String: Instance] = [:]
    }

    /// Makes those instances of a plan that need not know their state for it; what is wrong with one is told by the assembly.
    package func makeAhead(_ plan: HostPlan) -> Made {
        var made = Made(tree: StateTree(plain: plan.configuration.state))
        guard plan.failure == nil else { return made }
        for planned in plan.instances where planned.quarantine == nil && !startsWorker(for: planned) {
            made.instances[planned.id] = try? make(planned, of: plan, in: made.tree)
        }
        return made
    }

    /// Makes the instances of a plan.
    ///
    /// - Parameters:
    ///   - made: what was made of this plan ahead of time by this assembler; nil for nothing.
    ///   - saved: what the run before has left; nil to begin anew.
    ///   - sequence: the last action that is in it.
    ///   - leavesUnread: whether a state that its plugin does not take is kept as it is, and the instance left out; otherwise it is
    ///     an error.
    /// - Throws: everything that is wrong.
    package func assemble(
        _ plan: HostPlan, restoring saved: SavedState? = nil, behind sequence: UInt64 = 0,
        leavingUnread leavesUnread: Bool = false, from made: Made? = nil
    ) throws(Diagnostics) -> Assembly {
        if let failure = plan.failure { throw failure }
        let plain = saved?.plain(for: plan.configuration) ?? plan.configuration.state
        let tree = made?.tree ?? StateTree(plain: plain)
        if made != nil { tree.settle(PlainState(plain: plain, kept: tree.kept), slices: []) }
        var left = saved?.entries ?? [:]
        var kept = saved?.kept ?? [:]
        let succession = Succession(from: left.keys, to: plan.instances.map(\.entry))
        var claims = SliceClaims(in: plan.configuration.state)
        var instances: [Instance] = []
        var unread: [Diagnostic] = []
        // What was in doubt is settled here.
        var diagnostics = plan.diagnostics.all.filter { $0.severity != .doubt }
        // They begin while those before them are made.
        let workers = launchWorkers(for: plan.instances, of: plan)
        for planned in plan.instances {
            do throws(Diagnostic) {
                let source = succession[planned.id]
                let entry = source.flatMap { left[$0] }
                let unclaimed = entry == nil ? kept.state(for: planned, in: tree.plain) : nil
                let instance: Instance
                if let waiting = made?.instances[planned.id] {
                    instance = waiting
                } else {
                    instance = try make(
                        planned, of: plan, in: tree,
                        standing: StandingInstance(
                            planned, on: entry == nil ? unclaimed?.state : entry?.state,
                            as: entry?.standing ?? Standing(at: sequence)),
                        worker: workers[planned.id])
                }
                if saved != nil {
                    do throws(Diagnostic) {
                        if let entry {
                            try instance.take(entry, as: planned)
                        } else if let unclaimed {
                            try instance.take(unclaimed.state, as: planned)
                        }
                    } catch let refusal where leavesUnread {
                        unread.append(
                            Diagnostic(
                                .warning, refusing: refusal.library ?? planned.id, for: planned.id,
                                because: refusal.sentences + [
                                    "the state is kept as it is, and the instance is left out until a library comes that takes it over"
                                ]))
                        continue
                    }
                    if let source { left[source] = nil }
                    if instance.hasTakenState {
                        kept[planned.entry.slice] = nil
                        if let place = unclaimed?.place {
                            kept[place] = nil
                            tree.clear(place)
                        }
                    }
                    if instance.standing == nil, let diagnostic = entry?.standing?.skipped(by: planned) {
                        diagnostics.append(diagnostic)
                    }
                }
                if let sentence = place(instance, in: tree, &claims) {
                    throw planned.fault(at: ["lift", "state"], sentence)
                }
                instances.append(instance)
                if planned.keepsState == nil, instance.standing == nil, instance.slice.isEmpty,
                    planned.entry.lift.state != nil
                {
                    diagnostics.append(planned.needlessSlice)
                }
            } catch {
                diagnostics.append(error)
            }
        }
        if saved != nil { tree.keep(left, and: kept) }
        diagnostics += settleImages()
        if instances.isEmpty, let diagnostic = plan.nothingLeft { diagnostics.append(diagnostic) }
        diagnostics += Standing.followers(
            of: instances.map(\.planned),
            standing: instances.reduce(into: [:]) { $0[$1.id] = $1.standing?.value })
        let told = Diagnostics(diagnostics)
        if told.isFailure {
            for worker in workers.values { worker.end() }
            throw told
        }
        return Assembly(
            instances: instances, tree: tree, dependencies: dependencies, assembler: self,
            configuration: plan.configuration, diagnostics: told, unread: unread)
    }

    /// Whether an instance runs in a worker.
    private func startsWorker(for planned: PlannedInstance) -> Bool {
        planned.runsInWorker && (startsWorkers || startsVersions && planned.match != nil)
    }

    /// Starts workers.
    private var workerMaker: WorkerMaker {
        WorkerMaker(cache: cache, dependencies: dependencies, debugged: debugged, program: workerProgram)
    }

    /// Starts the workers of instances of a plan, with all that share them.
    ///
    /// - Returns: the links to them, by the ids of the instances. One that cannot be started is found out again when its instance is made.
    ///   Whoever takes none of them into a host ends it.
    package func launchWorkers(for instances: [PlannedInstance], of plan: HostPlan) -> [String: WorkerLink] {
        let maker = workerMaker
        var workers: [String: WorkerLink] = [:]
        var shared: Set<String> = []
        for planned in instances where startsWorker(for: planned) && planned.quarantine == nil {
            if let name = planned.sharedWorker, !shared.insert(name).inserted { continue }
            guard let links = try? maker.launch(plan.processMembers(with: planned), of: plan) else {
                continue
            }
            workers.merge(links) { first, _ in first }
        }
        return workers
    }

    /// Loads the images of a plan ahead of time; what is wrong with one is told when its instance is made.
    package func load(_ plan: HostPlan) {
        for planned in plan.instances where !startsWorker(for: planned) && planned.quarantine == nil {
            guard planned.match == nil, let (content, note) = planned.image else { continue }
            _ = try? cache.image(
                of: content, note: note, from: plan.configuration.images, isTried: plan.isRehearsed)
        }
    }

    /// What an operator should know about where images were mapped from, after some were asked for.
    package func settleImages() -> [Diagnostic] { cache.settle().map { Diagnostic(.warning, $0) } }

    /// Loads the image of an entry and makes its instance.
    ///
    /// - Parameters:
    ///   - tree: the state that its gate may follow.
    ///   - standing: what stands for the library, which is not loaded then; nil where it is.
    ///   - worker: leads to its worker that is launched already; nil to launch one where it is needed.
    /// - Throws: what the library contradicts itself in, or what the configuration asks for and the plugin cannot be.
    package func make(
        _ planned: PlannedInstance, of plan: HostPlan, in tree: StateTree,
        standing: StandingInstance? = nil, worker: WorkerLink? = nil
    ) throws(Diagnostic) -> Instance {
        if let standing {
            do {
                return try Instance(
                    planned, exports: PluginExports(standing), tree: tree, dependencies: dependencies,
                    standing: standing)
            } catch {
                throw planned.fault(inSettings: error)
            }
        }
        if startsWorker(for: planned) {
            let maker = workerMaker
            var link = worker
            if link == nil { link = try maker.launch([planned], of: plan)[planned.id] }
            guard let link else { throw planned.unreadable }
            return try maker.make(planned, in: tree, with: link)
        }
        if let match = planned.match { throw planned.refusal([match.refusalHere]) }
        guard let (content, note) = planned.image else { throw planned.unreadable }
        let image: LoadedImage
        do {
            image = try cache.image(
                of: content, note: note, from: plan.configuration.images, isTried: plan.isRehearsed)
        } catch {
            throw planned.refusal(error.sentences)
        }
        dependencies.pass.progress.flightRecorder.know(image, digest: planned.digest)
        if let reason = planned.objection(to: image.exports) { throw planned.refusal([reason]) }
        do {
            return try Instance(
                planned, exports: image.exports, tree: tree, dependencies: dependencies)
        } catch {
            throw planned.fault(inSettings: error)
        }
    }

    /// Gives an instance's slice its place, and the value that the configuration has there.
    ///
    /// - Returns: why it cannot stand there; nil when it does.
    private func place(_ instance: Instance, in tree: StateTree, _ claims: inout SliceClaims) -> String? {
        guard !instance.slice.isEmpty else { return nil }
        let pointer = instance.slicePointer
        if let sentence = claims.claim(pointer, for: instance.id) { return sentence }
        if !instance.hasTakenState, let value = tree.plain[pointer] {
            do {
                try instance.slice.restore(value)
            } catch {
                return
                    "\"state\" has \(error.found) at \(pointer)\(error.pointer), where \(instance.id) keeps \(error.expected); correct or remove it"
            }
        }
        tree.own(pointer, instance.slice, by: instance.id)
        return nil
    }
}
