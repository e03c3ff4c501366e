// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

/// Tells clients what passes the host: one feed for each filter, which all share that ask for the same.
final class EventHub: Sendable {
    /// A feed, or one that is being made.
    private typealias Opening = Task<Result<EventFeed, HostControl.Failure>, Never>

    /// So many different filters at once.
    private static let mostFeeds = 16

    /// What the instance was made with.
    private let context: HTTP.Context
    /// The feeds by their filters; nil when the server ends.
    private let feeds = Mutex<[Value: Opening]?>([:])

    /// A hub without feeds.
    init(_ context: HTTP.Context) { self.context = context }

    /// Answers `GET /events`.
    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        guard let control = context.control else {
            return ActionsRoute.notGranted("control", context.instance)
        }
        let filter = Self.filter(request)
        let opening = feeds.withLock { feeds -> Opening? in
            if let known = feeds?[filter] { return known }
            guard let count = feeds?.count, count < Self.mostFeeds else { return nil }
            let new = Task.detached { () -> Result<EventFeed, HostControl.Failure> in
                do throws(HostControl.Failure) {
                    return .success(
                        EventFeed(
                            try await control.watch(filter),
                            again: { () throws(HostControl.Failure) in
                                try await control.watch(filter)
                            }))
                } catch {
                    return .failure(error)
                }
            }
            feeds?[filter] = new
            return new
        }
        guard let opening else {
            return .later(
                "expected at most \(Self.mostFeeds) different filters at once, found one more; ask for one of them"
            )
        }
        switch await opening.value {
        case .success(let feed):
            return HTTPResponse(stream: EventStream(feed, behind: request["last-event-id"]))
        case .failure(let failure):
            feeds.withLock { _ = $0?.removeValue(forKey: filter) }
            return failure.code == -32602 ? .refusal(400, failure.message) : .later(failure.message)
        }
    }

    /// What a request wants to hear, as the method `watch` takes it.
    static func filter(_ request: HTTPRequest) -> Value {
        var filter: Members = [:]
        for name in ["types", "instances", "state"] where request.query.contains(where: { $0.name == name }) {
            filter[name] = .array(request.values(of: name).map { .string($0) })
        }
        return .object(filter)
    }

    /// Keeps connections alive, and lets go of feeds to which nobody has listened for a while; called once in a round.
    func tick() {
        let openings = feeds.withLock { $0 ?? [:] }
        Task.detached { [self] in
            for (filter, opening) in openings {
                guard case .success(let feed) = await opening.value, !feed.tick() else { continue }
                feeds.withLock { _ = $0?.removeValue(forKey: filter) }
                feed.stop()
            }
        }
    }

    /// Ends all feeds.
    func stop() {
        let openings = feeds.withLock { feeds in
            defer { feeds = nil }
            return feeds ?? [:]
        }
        Task.detached {
            for opening in openings.values {
                if case .success(let feed) = await opening.value { feed.stop() }
            }
        }
    }
}
