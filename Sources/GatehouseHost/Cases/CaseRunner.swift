// SPDX-License-Identifier: Apache-2.0

public import GatehouseLibrary
internal import GatehouseSDK
public import GatehouseSupport

/// Runs the cases of one file, each on a host of its own.
///
/// Nothing is touched that belongs to the operator: neither state file nor sockets are opened, and data of instances goes to a
/// folder that is removed.
public struct CaseRunner {
    /// The file in which the cases stand.
    private let file: CaseFile
    /// The plan of the configuration that is tested.
    private let plan: HostPlan
    /// Where the images of plugins come from.
    private let images: ImageCache
    /// How long the effects of one step may take.
    private let limit: Duration
    /// Notices a step that does not come back.
    private let watch: CaseWatch<CaseOutcome>

    /// A runner of cases that fit their configuration.
    ///
    /// - Parameters:
    ///   - plan: of the configuration; best rehearsed.
    ///   - limit: how long the effects of one step may take.
    ///   - onStuck: told, on the event loop, what came of a case that does not come back; nothing else comes of it.
    /// - Throws: everything that keeps the cases from running.
    public init(
        _ file: CaseFile, on plan: HostPlan, images: ImageCache, limit: Duration,
        onStuck: @escaping @Sendable (CaseOutcome) -> Void
    ) throws(Findings) {
        if let failure = plan.failure { throw failure }
        let review = CaseReview(of: file, with: plan)
        guard review.findings.isEmpty else { throw Findings(review.findings) }
        self.file = file
        self.plan = plan
        self.images = images
        self.limit = limit
        watch = CaseWatch(limit: limit, onStuck: onStuck)
    }

    /// Runs one of the cases; one whose host cannot be made has failed.
    public func outcome(of tested: TestCase) -> CaseOutcome {
        do throws(Findings) {
            return try run(tested)
        } catch {
            var outcome = CaseOutcome(name: tested.name, position: tested.place.position(of: .whole))
            outcome.failures = error.all.filter { $0.severity == .error }
                .map { CaseOutcome.Failure(finding: $0, difference: []) }
            return outcome
        }
    }

    /// Runs a case in a folder that is then removed.
    private func run(_ tested: TestCase) throws(Findings) -> CaseOutcome {
        let folder: ScratchFolder
        do {
            folder = try ScratchFolder()
        } catch {
            throw Findings([tested.place.finding(at: [], "\(error)")])
        }
        defer { withExtendedLifetime(folder) {} }
        return try CaseRun(
            tested, of: file.file, on: plan, images: images, data: folder.path, limit: limit, watch: watch
        ).outcome()
    }
}
