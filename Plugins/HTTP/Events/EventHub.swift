// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

/// Tells clients what passes the host: one feed for each filter, which all share that ask for the same.
final class EventHub: Sendable {
    /// What opens a feed, or has opened it.
    private typealias Opening = Task<Result<EventFeed, HostControl.Failure>, Never>

    /// A feed, or one that is being opened.
    private struct Entry {
        /// Gives the feed.
        let opening: Opening
        /// The place of the client that has asked for it first.
        let network: String
        /// The feed; nil before it is open.
        var feed: EventFeed?
    }

    /// So many different filters at once.
    private static let mostFeeds = 32
    /// So many of them for clients at one place.
    private static let mostOfOne = mostFeeds / 2

    /// What the instance was made with.
    private let context: HTTP.Context
    /// The feeds by their filters; nil when the server ends.
    private let feeds = Mutex<[Value: Entry]?>([:])

    /// A hub without feeds.
    init(_ context: HTTP.Context) { self.context = context }

    /// Answers `GET /events`.
    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        guard let control = context.control else {
            return ActionsRoute.notGranted("control", context.instance)
        }
        let filter = Self.filter(request)
        let (opening, gone) = feeds.withLock { feeds -> (Opening?, EventFeed?) in
            if let known = feeds?[filter] { return (known.opening, nil) }
            guard let all = feeds else { return (nil, nil) }
            let ofOne = all.filter { $0.value.network == request.network }
            var gone: EventFeed?
            if all.count >= Self.mostFeeds || ofOne.count >= Self.mostOfOne {
                // One that nobody listens to is kept for who comes back, unless somebody else has come.
                let quiet = (ofOne.count >= Self.mostOfOne ? ofOne : all)
                    .compactMap { (filter, entry) in
                        entry.feed.flatMap { feed in feed.quietRounds.map { (filter, feed, $0) } }
                    }
                guard let last = quiet.max(by: { $0.2 < $1.2 }) else { return (nil, nil) }
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
            return HTTPResponse(stream: EventStream(feed, behind: request["last-event-id"]))
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
