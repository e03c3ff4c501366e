// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

/// What passes one filter, numbered; the last of it is kept for who comes back.
final class EventFeed: Sendable {
    /// What is guarded by the lock.
    private struct State {
        /// The last events by their numbers, which count from 1, in the form in which they are sent.
        var events: [Int: [UInt8]] = [:]
        /// The number of the first of them, or of the one that comes.
        var first = 1
        /// How many bytes they have.
        var bytes = 0
        /// The number of the last event.
        var last = 0
        /// What was told last of each place of the state.
        var places: [String: [UInt8]] = [:]
        /// Who listens.
        var listeners: [ObjectIdentifier: @Sendable () -> Void] = [:]
        /// For how many rounds nobody has.
        var quiet = 0
        /// How many rounds there were.
        var rounds = 0
        /// Whether nothing comes any more.
        var isOver = false
    }

    /// So much is kept.
    static let most = (events: 4_096, bytes: 1 << 20)
    /// A feed is kept for so many rounds when nobody listens, for who comes back.
    private static let patience = 12
    /// A sign of life is sent every so many rounds.
    private static let heartbeat = 3

    /// What tells its numbers from those of other feeds, also after a restart.
    let name: String
    /// The events, guarded by the lock.
    private let state = Mutex(State())
    /// Reads the news.
    private let reader = Mutex<Task<Void, Never>?>(nil)

    /// A feed of what is watched.
    ///
    /// - Parameter again: watches once more, when the host has told that more came than there was room for.
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

    /// Takes what was told.
    private func add(_ news: Value) {
        let place = news["state"]?["pointer"]?.stringValue
        add(place == nil ? "action" : "state", news, place: place)
    }

    /// Takes note that something was not told; nil for nobody knows how much.
    private func addLoss(_ count: Int?, _ reason: String) {
        add("lost", Self.loss(count, reason), place: nil)
    }

    /// What is told of events that are gone.
    private static func loss(_ count: Int?, _ reason: String) -> Value {
        ["count": count.map { Value($0) } ?? .null, "reason": .string(reason)]
    }

    /// Numbers an event, and lets go of the oldest where there are too many.
    private func add(_ kind: String, _ value: Value, place: String?) {
        let listeners = state.withLock { state in
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
            return Array(state.listeners.values)
        }
        for listener in listeners { listener() }
    }

    /// An event as server-sent events have it.
    private static func text(_ kind: String, _ value: Value, id: String?) -> [UInt8] {
        var text = id.map { Array("id: \($0)\n".utf8) } ?? []
        text += Array("event: \(kind)\ndata: ".utf8)
        value.writeJSON(to: &text)
        text += Array("\n\n".utf8)
        return text
    }

    /// Nothing comes any more.
    private func end() {
        let listeners = state.withLock { state in
            state.isOver = true
            return Array(state.listeners.values)
        }
        for listener in listeners { listener() }
    }

    /// Ends the feed.
    func stop() {
        reader.withLock { $0 }?.cancel()
        end()
    }

    /// For how many rounds nobody has listened; nil while somebody does.
    var quietRounds: Int? { state.withLock { $0.listeners.isEmpty ? $0.quiet : nil } }

    /// Counts a round; false when the feed is not needed any more.
    func tick() -> Bool {
        let (isNeeded, listeners) = state.withLock { state in
            state.rounds += 1
            state.quiet = state.listeners.isEmpty ? state.quiet + 1 : 0
            let isBeat = state.rounds.isMultiple(of: Self.heartbeat)
            return (
                !state.isOver && state.quiet <= Self.patience, isBeat ? Array(state.listeners.values) : []
            )
        }
        for listener in listeners { listener() }
        return isNeeded
    }

    // MARK: - Who listens

    /// Where somebody begins who has heard the event with this id last, nil for none; and what is said to that first.
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
            // Places of the state are told as they are now.
            for place in state.places.sorted(by: { $0.key < $1.key }) { greeting += place.value }
            return (state.last + 1, greeting)
        }
    }

    /// What comes next for somebody who is at a number: whole events, about so many bytes.
    ///
    /// - Returns: the text, empty for nothing; the number behind it; whether there will be nothing more.
    func read(from next: Int, about most: Int) -> (text: [UInt8], next: Int, isOver: Bool) {
        state.withLock { state in
            var (text, next) = ([UInt8](), next)
            if next < state.first {
                text += Self.text(
                    "lost",
                    Self.loss(state.first - next, "more passed than is kept for who reads slowly"), id: nil)
                next = state.first
            }
            while text.count < most, let event = state.events[next] {
                text += event
                next += 1
            }
            return (text, next, text.isEmpty && state.isOver)
        }
    }

    /// Tells somebody of each event from here on.
    func listen(_ listener: AnyObject, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.listeners[ObjectIdentifier(listener)] = body }
    }

    /// Tells somebody nothing any more.
    func leave(_ listener: AnyObject) {
        state.withLock { _ = $0.listeners.removeValue(forKey: ObjectIdentifier(listener)) }
    }
}
