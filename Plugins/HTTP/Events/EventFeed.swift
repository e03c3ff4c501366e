// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

/// The numbered events of one filter; keeps the latest for returning clients.
final class EventFeed: Sendable {
    /// The contents of the lock.
    private struct State {
        /// The latest events by their numbers, from 1, in the form in which they are sent.
        var events: [Int: [UInt8]] = [:]
        /// The number of the first kept event, or of the next one.
        var first = 1
        /// The size of the kept events in bytes.
        var bytes = 0
        /// The number of the last event.
        var last = 0
        /// The latest event of each place of the state.
        var places: [String: [UInt8]] = [:]
        /// The wake-up function of each listener.
        var listeners: [ObjectIdentifier: @Sendable () -> Void] = [:]
        /// The number of rounds without listeners.
        var idle = 0
        /// The number of rounds.
        var rounds = 0
        /// Whether the feed has ended.
        var isOver = false
    }

    /// The limits of the kept events.
    static let most = (events: 4_096, bytes: 1 << 20)
    /// The number of rounds that a feed without listeners is kept, for returning clients.
    private static let patience = 12
    /// The number of rounds between two signs of life.
    private static let heartbeat = 3

    /// Distinguishes its numbers from those of other feeds, also after a restart.
    let name: String
    /// The events, guarded by the lock.
    private let state = Mutex(State())
    /// Reads the news.
    private let reader = Mutex<Task<Void, Never>?>(nil)

    /// Creates a feed of a watch.
    ///
    /// - Parameter again: watches once more, after the host has reported an overflow.
    init(
        _ news: HostNews, again: @escaping @Sendable () async throws(HostControl.Failure) -> HostNews
    ) {
        name = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let task = Task.detached { [weak self] in
            var news = news
            while !Task.isCancelled {
                do throws(HostControl.Failure) {
                    var iterator = news.makeAsyncIterator()
                    while let item = try await iterator.next() { self?.add(item) }
                    break
                } catch {
                    self?.addLoss(nil, error.message)
                }
                do throws(HostControl.Failure) {
                    news = try await again()
                } catch {
                    break
                }
            }
            self?.end()
        }
        reader.withLock { $0 = task }
    }

    deinit { reader.withLock { $0 }?.cancel() }

    // MARK: - What comes

    /// Adds an object of the watch.
    private func add(_ news: Value) {
        let place = news["state"]?["pointer"]?.stringValue
        add(place != nil ? "state" : news["turnedAway"] != nil ? "turnedAway" : "action", news, place: place)
    }

    /// Records lost events; `count` is nil if unknown.
    private func addLoss(_ count: Int?, _ reason: String) {
        add("lost", Self.loss(count, reason), place: nil)
    }

    /// Returns the description of lost events.
    private static func loss(_ count: Int?, _ reason: String) -> Value {
        ["count": count.map { Value($0) } ?? .null, "reason": .string(reason)]
    }

    /// Numbers an event, and drops the oldest beyond the limits.
    private func add(_ kind: String, _ value: Value, place: String?) {
        wake { state in
            state.last += 1
            let text = Self.text(kind, value, id: "\(name)-\(state.last)")
            if let place { state.places[place] = text }
            state.events[state.last] = text
            state.bytes += text.count
            while state.events.count > Self.most.events
                || state.bytes > Self.most.bytes && state.events.count > 1,
                let gone = state.events.removeValue(forKey: state.first)
            {
                state.bytes -= gone.count
                state.first += 1
            }
            return true
        }
    }

    /// Changes the facts, and wakes all listeners if the change says so.
    private func wake(_ change: (inout State) -> Bool) {
        let listeners = state.withLock { change(&$0) ? Array($0.listeners.values) : [] }
        for listener in listeners { listener() }
    }

    /// Formats an event as a server-sent event.
    static func text(_ kind: String, _ value: Value, id: String?) -> [UInt8] {
        var text = id.map { Array("id: \($0)\n".utf8) } ?? []
        text += Array("event: \(kind)\ndata: ".utf8)
        value.writeJSON(to: &text)
        text += Array("\n\n".utf8)
        return text
    }

    /// Marks the end, and wakes all listeners.
    private func end() {
        wake { state in
            state.isOver = true
            return true
        }
    }

    /// Ends the feed.
    func stop() {
        reader.withLock { $0 }?.cancel()
        end()
    }

    /// The number of rounds without listeners; nil while there is one.
    var idleRounds: Int? { state.withLock { $0.listeners.isEmpty ? $0.idle : nil } }

    /// Counts a round; false when the feed is not needed any more.
    func tick() -> Bool {
        var isNeeded = false
        wake { state in
            state.rounds += 1
            state.idle = state.listeners.isEmpty ? state.idle + 1 : 0
            isNeeded = !state.isOver && state.idle <= Self.patience
            return state.rounds.isMultiple(of: Self.heartbeat)
        }
        return isNeeded
    }

    // MARK: - Who listens

    /// Returns where a client starts after the event with this id, nil for none, and its greeting.
    func begin(behind id: String?) -> (next: Int, greeting: [UInt8]) {
        state.withLock { state in
            var greeting = Array("retry: 1000\n: watching\n\n".utf8)
            if let id {
                let parts = id.split(separator: "-", maxSplits: 1)
                if parts.count == 2, parts[0] == name, let number = Int(parts[1]), number >= 0,
                    number <= state.last
                {
                    return (number + 1, greeting)
                }
                greeting += Self.text(
                    "lost", Self.loss(nil, "what passed since then was not kept"), id: nil)
            }
            // Begin with the current places of the state.
            for place in state.places.sorted(by: { $0.key < $1.key }) { greeting += place.value }
            return (state.last + 1, greeting)
        }
    }

    /// Returns the next events for a client at a number: whole events, about this many bytes.
    ///
    /// - Returns: the text, empty for nothing; the number after it; whether the feed has ended.
    ///
    /// - Parameter mostEvents: the most events; at least one.
    func read(
        from next: Int, about most: Int, mostEvents: Int = .max
    ) -> (text: [UInt8], next: Int, isOver: Bool) {
        state.withLock { state in
            var (text, next) = ([UInt8](), next)
            if next < state.first {
                text += Self.text(
                    "lost",
                    Self.loss(state.first - next, "the reader was too slow, and older events were dropped"),
                    id: nil)
                next = state.first
            }
            let first = next
            while text.count < most, next - first < mostEvents, let event = state.events[next] {
                text += event
                next += 1
            }
            return (text, next, text.isEmpty && state.isOver)
        }
    }

    /// Returns the number after the last event, and whether the feed has ended.
    var latest: (next: Int, isOver: Bool) { state.withLock { ($0.last + 1, $0.isOver) } }

    /// Adds a listener for each event from here on.
    func listen(_ listener: AnyObject, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.listeners[ObjectIdentifier(listener)] = body }
    }

    /// Removes a listener.
    func leave(_ listener: AnyObject) {
        state.withLock { _ = $0.listeners.removeValue(forKey: ObjectIdentifier(listener)) }
    }
}
