// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseReload
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// Tries a candidate on the past, in a child of the host, and reports its progress.
package enum HistoryChild {
    /// Reads a request from standard input, performs it, and ends the process.
    ///
    /// - Parameter descriptor: where the host listens.
    package static func perform(tellingTo descriptor: Int32) -> Never {
        perform(tellingTo: descriptor) { result(of: $0, SignsOfLife(tellingTo: descriptor), $1) }
    }

    /// Performs a request, and returns the result.
    ///
    /// - Parameter signs: tells the host that the child is at work while instructions are counted.
    private static func result(
        of request: TrialRequest, _ signs: SignsOfLife, _ tell: (HistoryEvent) -> Void
    ) -> HistoryEvent {
        do throws(PastFailure) {
            let source = request.source
            let trust = FileTrust(isStrict: source.isStrict)
            let terms: TrialRequest.Terms
            switch request.work {
            case .trial(let asked): terms = asked
            case .shadow(let listening): return try listen(listening, request, trust, tell)
            }
            let candidate = try source.plan(with: terms.library)
            let trial = Trial(
                of: candidate, against: try reference(in: source, trust, or: candidate),
                journal: source.journal, images: ImageCache(folder: CacheFolder.current, trust: trust),
                recorder: FlightRecorder(in: request.flightRecorder),
                countsInstructions: terms.countsInstructions, isParallel: terms.isParallel
            ) { $0 ? signs.begin() : signs.end() }
            let clock = ContinuousClock()
            var next = clock.now
            let outcome = try trial.run(terms.extent) { done, total in
                guard clock.now >= next else { return }
                next = clock.now.advanced(by: pause)
                tell(.progress(done: done, total: total))
            }
            return .answer(outcome.value)
        } catch {
            return .failure(error.sentences)
        }
    }

    /// Lets a shadow hear what is recorded, until the host ends this process; returns only with a failure.
    private static func listen(
        _ listening: TrialRequest.Listening, _ request: TrialRequest, _ trust: FileTrust,
        _ tell: (HistoryEvent) -> Void
    ) throws(PastFailure) -> HistoryEvent {
        let id = listening.shadow
        let running = try request.source.plan()
        guard let shadowed = running.shadowed(by: id),
            let shadow = running.shadows.first(where: { $0.configuration.id == id })
        else { return .failure(["the configuration has no shadow \(id) any more"]) }
        let trial = try ShadowTrial(
            of: shadowed, as: shadow.configuration.instance, against: running,
            journal: request.source.journal, images: ImageCache(folder: CacheFolder.current, trust: trust),
            recorder: FlightRecorder(in: request.flightRecorder), listening)
        try trial.run { account in
            guard let value = try? Value(encoding: account) else { return }
            tell(.answer(value))
        }
        return .failure([])
    }

    /// The shortest time between two reports of progress.
    private static let pause = Duration.milliseconds(100)

    /// Returns the plan of the generation that the journal has last, from the images that it keeps; where it has none, the record is
    /// compared with, for which the candidate reduces.
    private static func reference(
        in source: HistorySource, _ trust: FileTrust, or candidate: HostPlan
    ) throws(PastFailure) -> Trial.Reference {
        let walk = try PastFailure.reading(try PastWalk(folder: source.journal, acceptsLoss: false))
        guard let last = walk.records.last else { return .recorded(candidate) }
        do {
            return .plan(try last.plan.plan(from: KeptImages(journal: source.journal).folder, trust: trust))
        } catch {
            throw .child(
                "the running generation cannot be compared with: \(error.instances.map { "\($0.id): \($0.reasons.joined(separator: "; "))" }.joined(separator: "; "))"
            )
        }
    }

    // MARK: - What every look back begins with

    /// Reads a request from standard input, tells the host what a closure makes of it, and ends the process.
    ///
    /// - Parameter body: returns the result; is given what tells the host of a step.
    static func perform<Request: ChildMessage>(
        tellingTo descriptor: Int32,
        _ body: (Request, _ tell: (HistoryEvent) -> Void) -> HistoryEvent
    ) -> Never {
        guard let request = Request(bytes: ChildRequest.bytes()) else { _exit(EX_DATAERR) }
        let writer = ChildEventWriter(descriptor: descriptor)
        writer.tell(body(request) { writer.tell($0.line) }.line)
        writer.tell(HistoryEvent.end.line)
        // Like the host: without the libraries' exit handlers.
        _exit(EXIT_SUCCESS)
    }

    /// Returns the plan of the configuration currently on disk, and a cache for its images.
    static func plan(of source: HistorySource) throws(PastFailure) -> (HostPlan, ImageCache) {
        (
            try source.plan(),
            ImageCache(folder: CacheFolder.current, trust: FileTrust(isStrict: source.isStrict))
        )
    }
}
