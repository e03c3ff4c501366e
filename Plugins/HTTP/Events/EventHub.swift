// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

/// Serves the host's events to clients: one feed for each filter, shared by all clients with that filter.
final class EventHub: Sendable {
    /// The task that opens a feed.
    private typealias Opening = Task<Result<EventFeed, HostControl.Failure>, Never>

    /// A feed, possibly still being opened.
    private struct Entry {
        /// Opens the feed.
        let opening: Opening
        /// The network of the client that asked for it first.
        let network: String
        /// The feed; nil before it is open.
        var feed: EventFeed?
    }

    /// The most different filters at once.
    private static let mostFeeds = 32
    /// The most of them for clients of one network.
    private static let mostOfOne = mostFeeds / 2

    /// The context of the instance.
    private let context: HTTP.Context
    /// The feeds by their filters; nil when the server ends.
    private let feeds = Mutex<[Value: Entry]?>([:])

    /// Creates a hub without feeds.
    init(_ context: HTTP.Context) { self.context = context }

    /// Answers `GET /events`.
    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        guard let control = context.control else {
            return ActionsRoute.notGranted("control", context.instance)
        }
        let most = request.values(of: "most").first.map { Int($0) ?? 0 }
        guard most.map((1...1_000_000).contains) ?? true else {
            return .refusal(
                400,
                "most: expected the most events of a second, from 1 to 1000000, found \(request.values(of: "most")[0])"
            )
        }
        let filter = Self.filter(request)
        let (opening, gone) = feeds.withLock { feeds -> (Opening?, EventFeed?) in
            if let known = feeds?[filter] { return (known.opening, nil) }
            guard let all = feeds else { return (nil, nil) }
            let ofOne = all.filter { $0.value.network == request.network }
            var gone: EventFeed?
            if all.count >= Self.mostFeeds || ofOne.count >= Self.mostOfOne {
                // A feed without listeners is kept for returning clients, unless another client needs the room.
                let idle = (ofOne.count >= Self.mostOfOne ? ofOne : all)
                    .compactMap { (filter, entry) in
                        entry.feed.flatMap { feed in feed.idleRounds.map { (filter, feed, $0) } }
                    }
                guard let last = idle.max(by: { $0.2 < $1.2 }) else { return (nil, nil) }
                feeds?[last.0] = nil
                gone = last.1
            }
            let new = open(filter, control)
            feeds?[filter] = Entry(opening: new, network: request.network)
            return (new, gone)
        }
        gone?.stop()
        guard let opening else {
            return .later(
                "expected at most \(Self.mostFeeds) different filters at once, and \(Self.mostOfOne) of one client, found one more; ask for one of them"
            )
        }
        switch await opening.value {
        case .success(let feed):
            return HTTPResponse(
                stream: EventStream(feed, behind: request["last-event-id"], mostOfSecond: most))
        case .failure(let failure):
            feeds.withLock { _ = $0?.removeValue(forKey: filter) }
            return failure.code == -32602 ? .refusal(400, failure.message) : .later(failure.message)
        }
    }

    /// Opens a feed.
    private func open(_ filter: Value, _ control: HostControl) -> Opening {
        Task.detached { [weak self] () -> Result<EventFeed, HostControl.Failure> in
            do throws(HostControl.Failure) {
                let feed = EventFeed(
                    try await control.watch(filter),
                    again: { () throws(HostControl.Failure) in try await control.watch(filter) })
                self?.feeds.withLock { $0?[filter]?.feed = feed }
                return .success(feed)
            } catch {
                return .failure(error)
            }
        }
    }

    /// Returns a request's filter for the method `watch`.
    static func filter(_ request: HTTPRequest) -> Value {
        var filter: Members = [:]
        for name in ["types", "instances", "state"] where request.query.contains(where: { $0.name == name }) {
            filter[name] = .array(request.values(of: name).map { .string($0) })
        }
        if request.query.contains(where: { $0.name == "turnedAway" }) { filter["turnedAway"] = true }
        return .object(filter)
    }

    /// Keeps connections alive, and drops feeds without listeners for a while; called once in a round.
    func tick() {
        let open = feeds.withLock { ($0 ?? [:]).compactMapValues(\.feed) }
        for entry in open where !entry.value.tick() {
            feeds.withLock { _ = $0?.removeValue(forKey: entry.key) }
            entry.value.stop()
        }
    }

    /// Ends all feeds.
    func stop() {
        let entries = feeds.withLock { feeds in
            defer { feeds = nil }
            return feeds ?? [:]
        }
        Task.detached {
            for entry in entries.values {
                if case .success(let feed) = await entry.opening.value { feed.stop() }
            }
        }
    }
}
