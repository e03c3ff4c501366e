// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
package import GatehouseLibrary
package import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// Runs past reducers in this process, which keeps their images until it ends.
package struct InProcessReducer: PastReducer {
    /// The images of this process.
    package let images: ImageCache
    /// The dependencies of instances.
    package let dependencies: HostDependencies
    /// The plan that replaces the recorded ones; nil for none.
    package var plan: HostPlan?
    /// The instances that are suspended from some action on.
    package var fallen: [FallenInstance] = []
    /// Called with the number of each action before it is reduced.
    package var onAction: (UInt64) -> Void

    /// Reduces in this process.
    package init(
        images: ImageCache, dependencies: HostDependencies, plan: HostPlan? = nil,
        fallen: [FallenInstance] = [], onAction: @escaping (UInt64) -> Void = { _ in }
    ) {
        self.images = images
        self.dependencies = dependencies
        self.plan = plan
        self.fallen = fallen
        self.onAction = onAction
    }

    package func reduce(_ reduction: PastReduction) throws(PastFailure) -> PastResult {
        let plan: HostPlan
        if let present = self.plan { plan = present } else { plan = try reduction.plan(trust: images.trust) }
        let generation: PastGeneration
        do throws(Diagnostics) {
            generation = try PastGeneration(
                plan, having: reduction.state, at: reduction.after, in: try reduction.reader(),
                by: Assembler(cache: images, dependencies: dependencies, startsVersions: true),
                leavingUnread: self.plan != nil || reduction.leavesUnread, fallen: fallen,
                acceptsLoss: reduction.acceptsLoss)
        } catch {
            throw .diagnostics(error)
        }
        defer { generation.close() }
        do { try generation.advance(to: reduction.last, onAction: onAction) } catch { throw .journal(error) }
        if let broken = generation.broken { throw .fallen(broken) }
        do throws(CodingFailure) {
            return PastResult(
                state: try generation.saved(configured: plan.configuration.state), count: generation.count,
                diagnostics: generation.diagnostics)
        } catch {
            throw .child("the state after action \(reduction.last) cannot be written as JSON: \(error)")
        }
    }
}

extension PastReduction {
    /// Returns the plan of the generation, from the kept images.
    fileprivate func plan(trust: FileTrust) throws(PastFailure) -> HostPlan {
        do {
            return try record.plan.plan(from: KeptImages(journal: journal).folder, trust: trust)
        } catch {
            throw .unrunnable(
                unrunnable(because: error.instances.reduce(into: [:]) { $0[$1.id] = $1.reasons }))
        }
    }

    /// What a child may read that reduces: its journal with the kept images, and what the instances of the generation may.
    ///
    /// No code runs where they cannot be read, because the child then finds the same.
    func access(trust: FileTrust) -> FileAccess {
        let instances = (try? plan(trust: trust))?.instances ?? []
        return .reading(for: instances.map { ($0, nil) }, and: FileAccess.images(of: journal))
    }

    /// Returns a separate reader.
    fileprivate func reader() throws(Diagnostics) -> JournalReader {
        do { return try JournalReader(folder: journal) } catch {
            throw Diagnostics([Diagnostic(.error, "\(error)")])
        }
    }

    /// Describes instances of the generation that cannot be made.
    func unrunnable(because reasons: [String: [String]]) -> UnrunnableGeneration {
        UnrunnableGeneration(
            number: record.number, epoch: record.epoch, host: record.plan.hostVersion, instances: reasons,
            actions: last - after, after: after)
    }
}
