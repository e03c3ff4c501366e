// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
package import GatehouseLibrary
package import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// Runs past reducers in this process, which keeps their images until it ends.
package struct InProcessStage: PastStage {
    /// The images of this process.
    let images: ImageCache
    /// The dependencies of instances.
    package let dependencies: HostDependencies
    /// The plan that replaces the recorded ones; nil for none.
    package var plan: HostPlan?
    /// The instances that are suspended from some action on.
    var fallen: [FallenInstance] = []
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

    package func reduce(_ job: PastJob) throws(PastFailure) -> PastResult {
        let plan: HostPlan
        if let present = self.plan { plan = present } else { plan = try job.plan(trust: images.trust) }
        let generation: PastGeneration
        do throws(Findings) {
            generation = try PastGeneration(
                plan, having: job.state, at: job.after, in: try job.reader(),
                by: Assembler(cache: images, dependencies: dependencies),
                leavingUnread: self.plan != nil || job.leavesUnread, fallen: fallen,
                acceptsLoss: job.acceptsLoss)
        } catch {
            throw .findings(error)
        }
        defer { generation.close() }
        do throws(JournalFailure) {
            try generation.advance(to: job.last, onAction: onAction)
        } catch {
            throw .journal(error)
        }
        do throws(CodingFailure) {
            return PastResult(
                state: try generation.saved(configured: plan.configuration.state), count: generation.count,
                findings: generation.findings)
        } catch {
            throw .child("the state after action \(job.last) cannot be written as JSON: \(error)")
        }
    }
}

extension PastJob {
    /// Returns the plan of the generation, from the kept images.
    fileprivate func plan(trust: FileTrust) throws(PastFailure) -> HostPlan {
        do throws(RecordedPlan.Obstacle) {
            return try record.plan.plan(from: KeptImages(journal: journal).folder, trust: trust)
        } catch {
            throw .unrunnable(unrunnable(because: error.instances))
        }
    }

    /// Returns a separate reader.
    fileprivate func reader() throws(Findings) -> JournalReader {
        do throws(JournalFailure) {
            return try JournalReader(folder: journal)
        } catch {
            throw Findings([Finding(.error, "\(error)")])
        }
    }

    /// Describes instances of the generation that cannot be made.
    package func unrunnable(because instances: [(id: String, reasons: [String])]) -> UnrunnableGeneration {
        UnrunnableGeneration(
            number: record.number, epoch: record.epoch, host: record.plan.hostVersion,
            instances: Dictionary(instances.map { ($0.id, $0.reasons) }) { first, _ in first },
            actions: last - after, after: after)
    }
}
