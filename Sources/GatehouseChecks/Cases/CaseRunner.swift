// SPDX-License-Identifier: Apache-2.0

package import GatehouseLibrary
package import GatehousePlan
internal import GatehouseSDK
package import GatehouseSupport

/// Runs the cases of one file, each on its own host.
///
/// The operator's resources stay untouched: neither state file nor sockets are opened, and data of instances goes to a folder
/// that is removed.
package struct CaseRunner {
    /// The file of cases.
    private let file: CaseFile
    /// The plan of the configuration under test.
    private let plan: HostPlan
    /// Provides the plugins' images.
    private let images: ImageCache
    /// How long the effects of one step may take.
    private let limit: Duration
    /// Where the instances run that can run there.
    private let placement: Placement
    /// Why instances stay in the host although all others run in workers, by id; none where all run in the host.
    private let obstacles: [String: String]
    /// Detects a step that does not return.
    private let watch: CaseWatch<CaseOutcome>

    /// Creates a runner of cases that fit their configuration.
    ///
    /// - Parameters:
    ///   - plan: the plan of the configuration; best rehearsed.
    ///   - limit: how long the effects of one step may take.
    ///   - placement: where instances run, whatever their entries and the policy say; in the host where no worker can do it.
    ///   - onStuck: called on the event loop with the outcome of a case that does not return; it has no other result.
    /// - Throws: all reasons why the cases cannot run.
    package init(
        _ file: CaseFile, on plan: HostPlan, images: ImageCache, limit: Duration,
        placement: Placement = .host, onStuck: @escaping @Sendable (CaseOutcome) -> Void
    ) throws(Diagnostics) {
        if let failure = plan.failure { throw failure }
        let review = CaseReview(of: file, with: plan)
        guard review.diagnostics.isEmpty else { throw Diagnostics(review.diagnostics) }
        self.file = file
        self.plan = plan
        self.images = images
        self.limit = limit
        self.placement = placement
        obstacles = placement == .worker ? plan.workerObstacles : [:]
        watch = CaseWatch(limit: limit, onStuck: onStuck)
    }

    /// Why instances stay in the host although all others run in workers, a sentence for each, in chain order.
    package var staying: [String] {
        plan.instances.compactMap { instance in
            obstacles[instance.id].map { "\(instance.id) stays in the host: \($0)" }
        }
    }

    /// Why an instance runs in the host in a case; nil where it runs in a worker, as one does that only an installed version can load.
    private func reason(in tested: TestCase, for instance: PlannedInstance) -> CaseOutcome.HostReason? {
        let id = instance.id
        if instance.match != nil { return nil }
        guard placement == .worker else { return .asked }
        // A worker knows neither the clock of a case nor its stubs.
        if tested.setsClock { return .clock }
        if tested.effects[id] == .stubbed { return .stubs }
        return obstacles[id].map { _ in .obstacle }
    }

    /// Runs one case; it fails if its host cannot be made.
    package func outcome(of tested: TestCase) -> CaseOutcome {
        do throws(Diagnostics) {
            return try run(tested)
        } catch {
            var outcome = CaseOutcome(name: tested.name, position: tested.place.position(of: .whole))
            outcome.failures = error.all.filter { $0.severity == .error }
                .map { CaseOutcome.Failure(diagnostic: $0, difference: []) }
            return outcome
        }
    }

    /// Runs a case in a temporary folder.
    private func run(_ tested: TestCase) throws(Diagnostics) -> CaseOutcome {
        let folder: ScratchFolder
        do {
            folder = try ScratchFolder()
        } catch {
            throw Diagnostics([tested.place.diagnostic(at: [], "\(error)")])
        }
        defer { withExtendedLifetime(folder) {} }
        for instance in plan.instances {
            guard let match = instance.match, tested.setsClock || tested.effects[instance.id] == .stubbed
            else {
                continue
            }
            let part = tested.setsClock ? "clock of a case" : "stubs of a case"
            throw Diagnostics([
                tested.place.diagnostic(
                    at: [],
                    "only a worker of the installed version \(match.version.name) can load \(instance.id), because \(match.reason()), and a worker does not know the \(part); run this case with \(match.version.program), or rebuild the plugin with this host's SDK"
                )
            ])
        }
        let placed = plan.placing { reason(in: tested, for: $0) == nil ? .worker : .host }
        var outcome = try CaseRun(
            tested, of: file.file, on: placed, images: images, data: folder.path, limit: limit, watch: watch
        ).outcome()
        outcome.places = plan.instances.map { ($0.id, reason(in: tested, for: $0)) }
        return outcome
    }
}
