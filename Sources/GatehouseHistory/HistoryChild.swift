// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseReload
internal import GatehouseRuntime
internal import GatehouseSupport
private import Glibc

/// Tries a configuration on the past, in a child of the host; reports each action before dispatching it.
package enum HistoryChild {
    /// Reads a request from standard input, performs it, and ends the process.
    ///
    /// - Parameter descriptor: where the host listens.
    package static func perform(tellingTo descriptor: Int32) -> Never {
        perform(tellingTo: descriptor, result)
    }

    /// Performs a request, and returns the result.
    private static func result(
        of request: HistoryRequest, _ tell: (HistoryEvent) -> Void
    ) -> HistoryEvent {
        do throws(PastFailure) {
            let (plan, images) = try plan(of: request.source)
            let replay = Replay(
                of: plan, against: .state(request.state), journal: request.source.journal, images: images)
            let outcome = try replay.run(to: request.last, last: UInt64(request.count)) {
                tell(.step(sequence: $0.sequence, type: $0.type, origin: $0.origin))
            }
            return .outcome(isSame: outcome.isSame, lines: outcome.lines)
        } catch {
            return .failure(error.sentences)
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
        let trust = FileTrust(isStrict: source.isStrict)
        let read: ConfigurationOutcome
        do {
            read =
                source.isFolder
                ? ConfigurationOutcome(of: HostConfiguration(directory: source.path))
                : ConfigurationParser.parse(
                    try SystemFile.bytes(of: source.path, limit: 64 << 20), file: source.path)
        } catch {
            throw .child("\(source.path): \(error)")
        }
        let plan = Planner(trust: trust, baseDirectory: source.base).plan(read)
        if let failure = plan.failure { throw .diagnostics(failure) }
        return (plan, ImageCache(folder: CacheFolder.current, trust: trust))
    }
}
