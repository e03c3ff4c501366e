// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseRuntime
internal import GatehouseSDK
private import Synchronization

/// Sends what comes to nothing in a store to the watchers who asked for it.
///
/// Apart from `WatchService`, because such news comes on any thread: that of a reader that rejects a line, or one on which an
/// interceptor lets go of an action that it had held back.
final class TurnedAwayWatchers: Sendable {
    /// The store being watched.
    private let place: StorePlace
    /// The watchers, in order of arrival.
    private let subscriptions = Mutex<[WatchSubscription]>([])

    /// The most instances that a line names.
    private static let mostInstances = 20

    /// Nobody watches yet.
    init(_ place: StorePlace) { self.place = place }

    /// Whether anybody watches.
    var areAny: Bool { subscriptions.withLock { !$0.isEmpty } }

    /// Adds a watcher if its filter asks for such news.
    func add(_ subscription: WatchSubscription) {
        guard subscription.filter.hearsTurnedAway else { return }
        subscriptions.withLock { $0.append(subscription) }
    }

    /// Removes a watcher.
    func remove(_ subscription: WatchSubscription) {
        subscriptions.withLock { $0.removeAll { $0 === subscription } }
    }

    /// Reports something to those whose types and instances admit it; a line without a type only to those who name no types.
    func tell(_ news: TurnedAwayAction) {
        let concerned = subscriptions.withLock { $0 }.filter { $0.filter.covers(news) }
        guard !concerned.isEmpty else { return }
        let line = line(news)
        for subscription in concerned { subscription.add(line) }
    }

    /// Writes the line about something that came to nothing.
    private func line(_ news: TurnedAwayAction) -> [UInt8] {
        var members: Members = ["kind": .string(news.kind.rawValue)]
        members["type"] = news.type.map(Value.string)
        // What cannot be written is named by its type alone.
        members["action"] = try? news.action?.wireForm()
        members["source"] =
            news.emitter.map { ["instance": .string($0)] }
            ?? ["input": .string(news.input), "line": Value(news.line)]
        members["instance"] = news.instance.map(Value.string)
        if !news.instances.isEmpty {
            members["instances"] = .array(news.instances.prefix(Self.mostInstances).map(Value.string))
            let more = news.instances.count - Self.mostInstances
            if more > 0 { members["more"] = Value(more) }
        }
        members["reason"] = .string(news.reason)
        var parameters: Members = ["turnedAway": .object(members)]
        if case .partition(let number) = place { parameters["partition"] = Value(number) }
        let line: Value = ["jsonrpc": "2.0", "method": "watch", "params": .object(parameters)]
        var bytes: [UInt8] = []
        line.writeJSON(to: &bytes)
        return bytes
    }
}

extension WatchFilter {
    /// Whether something passes that came to nothing; among `instances` counts who emitted it, who stopped it and whom it did not reach.
    fileprivate func covers(_ news: TurnedAwayAction) -> Bool {
        if let types {
            guard let type = news.type, types.contains(where: { $0.covers(type) }) else { return false }
        }
        guard let instances else { return true }
        return [news.emitter, news.instance].contains { $0.map(instances.contains) ?? false }
            || news.instances.contains(where: instances.contains)
    }
}
