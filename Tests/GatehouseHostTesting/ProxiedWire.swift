// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
internal import Synchronization

/// The thread's part of a ``ConnectionProxy``: its sockets, and the bytes in transit between them.
struct ProxiedWire {
    /// Bytes in transit in one direction.
    private struct Lane {
        /// The socket that they come from.
        let source: Int32
        /// The socket that they go to.
        let destination: Int32
        /// Pieces that were read, each with the moment from which on it may arrive.
        var chunks: [(due: ContinuousClock.Instant, bytes: ArraySlice<UInt8>)] = []
        /// Whether nothing more comes.
        var isEnded = false
    }

    /// A program's connection, and the corresponding one to the server.
    private struct Pair {
        let program: Int32
        let server: LocalConnection
        var requests: Lane
        var replies: Lane
        /// The last bytes that were sent, which may contain the beginning of the awaited text.
        var tail: [UInt8] = []
        /// Whether to withhold the next answer.
        var losesReply = false
        /// Whether nothing is moved.
        var isFrozen = false
        /// The first bytes that were sent, which say who it is.
        var opening: [UInt8] = []

        /// Whether one of the texts is among the first bytes.
        func opens(with texts: [[UInt8]]) -> Bool { texts.contains { opening.firstRange(of: $0) != nil } }
    }

    /// A lane to wait for, until it is readable or writable.
    private struct Interest {
        let pair: Int
        let lane: WritableKeyPath<Pair, Lane>
        let reads: Bool
    }

    /// The number of bytes that say who has sent them.
    private static let openingSize = 1_024
    /// The maximum number of pieces in transit in a lane.
    private static let room = 64

    private let listener: Int32
    private let waking: Int32
    private let shared: ConnectionProxy.Shared
    private var pairs: [Int: Pair] = [:]
    private var nextPair = 0

    /// Creates a wire without connections; it takes ownership of the two descriptors.
    init(listener: Int32, waking: Int32, _ shared: ConnectionProxy.Shared) {
        self.listener = listener
        self.waking = waking
        self.shared = shared
    }

    /// Moves bytes until the proxy ends.
    mutating func run() {
        while true {
            let terms = shared.terms.withLock { terms in
                let known = terms
                (terms.cuts, terms.freezes, terms.thaws) = (false, false, false)
                return known
            }
            if terms.cuts || terms.isEnded { for number in Array(pairs.keys) { end(number) } }
            if terms.isEnded { break }
            if terms.freezes { for number in pairs.keys { pairs[number]?.isFrozen = true } }
            if terms.thaws { for number in pairs.keys { pairs[number]?.isFrozen = false } }
            wait(terms)
        }
        close(listener)
        close(waking)
    }

    /// Waits until there is something to do, and does it.
    private mutating func wait(_ terms: ConnectionProxy.Terms) {
        let now = ContinuousClock.now
        var watched = [pollfd(fd: waking, events: Int16(POLLIN), revents: 0)]
        var interests: [Interest] = []
        var timeout: Int32 = -1
        if !terms.stalls {
            watched.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0))
            for (number, pair) in pairs where !pair.isFrozen && !pair.opens(with: terms.parting) {
                for lane in [\Pair.requests, \Pair.replies] {
                    let lane = (path: lane, now: pair[keyPath: lane])
                    if !lane.now.isEnded, lane.now.chunks.count < Self.room {
                        watched.append(pollfd(fd: lane.now.source, events: Int16(POLLIN), revents: 0))
                        interests.append(Interest(pair: number, lane: lane.path, reads: true))
                    }
                    guard let due = lane.now.chunks.first?.due else { continue }
                    if due <= now {
                        watched.append(pollfd(fd: lane.now.destination, events: Int16(POLLOUT), revents: 0))
                        interests.append(Interest(pair: number, lane: lane.path, reads: false))
                    } else {
                        let left = Int32((now.duration(to: due) / .milliseconds(1)).rounded(.up))
                        timeout = timeout < 0 ? left : min(timeout, left)
                    }
                }
            }
        }
        guard unsafe poll(&watched, nfds_t(watched.count), timeout) > 0 else { return }
        if watched[0].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 64)
            _ = unsafe read(waking, &bytes, bytes.count)
            // The next bytes are moved under the new terms.
            return
        }
        if watched[1].revents != 0 { letIn(terms) }
        for (interest, watched) in zip(interests, watched.dropFirst(2)) where watched.revents != 0 {
            if interest.reads { take(interest, terms) } else { give(interest) }
        }
    }

    /// Accepts a program, if the terms allow it and the server accepts the connection.
    private mutating func letIn(_ terms: ConnectionProxy.Terms) {
        let program = accept(listener, nil, nil)
        guard program >= 0 else { return }
        guard !terms.refuses, let server = try? LocalConnection(terms.server) else {
            close(program)
            return
        }
        for end in [program, server.descriptor] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        // The Glibc module hides accept4.
        _ = fcntl(program, F_SETFD, FD_CLOEXEC)
        pairs[nextPair] = Pair(
            program: program, server: server,
            requests: Lane(source: program, destination: server.descriptor),
            replies: Lane(source: server.descriptor, destination: program))
        nextPair += 1
    }

    /// Reads the bytes at the source of a lane.
    private mutating func take(_ interest: Interest, _ terms: ConnectionProxy.Terms) {
        guard var pair = pairs[interest.pair] else { return }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe read(pair[keyPath: interest.lane].source, &bytes, bytes.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        if count <= 0 {
            pair[keyPath: interest.lane].isEnded = true
            pairs[interest.pair] = pair
            if pair[keyPath: interest.lane].chunks.isEmpty { end(interest.pair) }
            return
        }
        let chunk = bytes[..<count]
        if interest.lane == \.requests {
            pair.opening += chunk.prefix(Self.openingSize - pair.opening.count)
            look(for: terms.losingReplyTo, in: chunk, &pair)
        } else if pair.losesReply {
            strike(interest.pair)
            return
        } else if let left = terms.repliesLeft {
            shared.terms.withLock { $0.repliesLeft = left > count ? left - count : nil }
            if left <= count {
                // Without waiting: the bytes that do not fit are as lost as those after them.
                _ = unsafe bytes.withUnsafeBytes { unsafe write(pair.program, $0.baseAddress, left) }
                strike(interest.pair)
                return
            }
        }
        let isReply = interest.lane == \.replies
        let moved = isReply ? terms.rewriting.map { $0(Array(chunk))[...] } ?? chunk : chunk
        let now = ContinuousClock.now + terms.delay
        if isReply, let drip = terms.drip {
            for (place, byte) in moved.enumerated() {
                pair[keyPath: interest.lane].chunks.append((now + drip * place, [byte]))
            }
        } else if !moved.isEmpty {
            pair[keyPath: interest.lane].chunks.append((now, moved))
        }
        pairs[interest.pair] = pair
    }

    /// Searches for a text in a program's bytes, including the end of its earlier ones.
    private func look(for text: [UInt8]?, in chunk: ArraySlice<UInt8>, _ pair: inout Pair) {
        guard let text else { return pair.tail = [] }
        pair.tail += chunk
        if pair.tail.firstRange(of: text) != nil {
            pair.losesReply = true
            pair.tail = []
            shared.terms.withLock { $0.losingReplyTo = nil }
        } else {
            pair.tail = Array(pair.tail.suffix(text.count - 1))
        }
    }

    /// Writes the due bytes at the destination of a lane.
    private mutating func give(_ interest: Interest) {
        guard var lane = pairs[interest.pair]?[keyPath: interest.lane], let chunk = lane.chunks.first else {
            return
        }
        let count = unsafe chunk.bytes.withUnsafeBytes {
            unsafe send(lane.destination, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count < 0 {
            if errno != EAGAIN, errno != EINTR { end(interest.pair) }
            return
        }
        if count == chunk.bytes.count {
            lane.chunks.removeFirst()
        } else {
            lane.chunks[0].bytes.removeFirst(count)
        }
        pairs[interest.pair]?[keyPath: interest.lane] = lane
        if lane.isEnded, lane.chunks.isEmpty { end(interest.pair) }
    }

    /// Ends a connection at the moment that a test wanted.
    private mutating func strike(_ number: Int) {
        end(number)
        shared.struck.signal()
    }

    /// Ends both connections of a pair, and drops the bytes in transit.
    private mutating func end(_ number: Int) {
        guard let pair = pairs.removeValue(forKey: number) else { return }
        close(pair.program)
        pair.server.close()
    }
}
