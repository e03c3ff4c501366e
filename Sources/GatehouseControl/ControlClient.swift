// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// One connection to a control socket: takes requests one at a time, in order; writes answers and watched news.
///
/// It is not read during a request or while an answer is unsent: a client that asks faster than it reads waits.
@EventLoop
final class ControlClient {
    /// The longest request, in bytes.
    static let mostRequestBytes = 1 << 20

    /// The client's number in messages.
    let number: Int
    /// The descriptor of the connection.
    private let descriptor: Int32
    /// How long a dismissed client has to take its remaining output.
    private let patience: Duration
    /// The server that the client belongs to.
    private weak var server: ControlServer?
    /// Waits for the connection to become ready.
    private var watch: DescriptorWatch?
    /// Received bytes that have not been parsed.
    private var input = PendingLines()
    /// The bytes to write: whole lines, of which the first may be partly written.
    private var output: [UInt8] = []
    /// The number of bytes of `output` already written.
    private var written = 0
    /// Whether a request is in progress.
    private var isBusy = false
    /// Whether the other side sends nothing more.
    private var hasEnded = false
    /// Whether the other side receives nothing more.
    private var hasGone = false
    /// Whether the client closes once its output is written.
    private var isLeaving = false
    /// Whether the connection is closed.
    private var isClosed = false
    /// The client's watch; nil when it has none.
    private var subscription: WatchSubscription?
    /// The moment of the client's last request, as the server counts.
    private(set) var lastMoment: Int

    /// Wraps an accepted connection.
    init(_ descriptor: Int32, number: Int, of server: ControlServer) {
        self.descriptor = descriptor
        self.number = number
        self.server = server
        patience = server.patience
        lastMoment = server.nextMoment()
    }

    /// Whether the client has a watch.
    var isWatching: Bool { subscription != nil }

    /// Whether the client waits for nothing.
    var isIdle: Bool { !isBusy && !isWatching && output.isEmpty && !isLeaving }

    /// Starts reading and answering.
    func begin() {
        do {
            watch = try DescriptorWatch(descriptor, for: .readable) { [weak self] in self?.take($0) }
        } catch {
            close()
        }
    }

    /// Writes the error, and dismisses the client.
    func dismiss(_ error: ControlError) { leave(saying: Self.answer(.null, .failure(error))) }

    // MARK: - Reading

    /// Handles the connection's readiness.
    private func take(_ readiness: EventLoop.Readiness) {
        if readiness.contains(.readable) || readiness.contains(.hungUp) { read() }
        if readiness.contains(.hungUp) {
            (hasGone, hasEnded) = (true, true)
            watch?.cancel()
            watch = nil
            endWatching()
        }
        go()
    }

    /// Reads available bytes, at most one request and a little more.
    private func read() {
        guard !hasEnded, !isLeaving else { return }
        var chunk = [UInt8](repeating: 0, count: SystemFile.chunk)
        while input.count <= Self.mostRequestBytes {
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            guard count > 0 else {
                if count == 0 || (errno != EAGAIN && errno != EINTR) { hasEnded = true }
                return
            }
            input.append(chunk[..<count])
        }
    }

    // MARK: - Going on

    /// Makes progress until the client must wait for the other side or a request.
    private func go() {
        while !isClosed {
            flush()
            guard !isClosed, output.isEmpty, !isBusy, !isLeaving else { break }
            if let line = input.next() {
                answer(line)
            } else if input.count > Self.mostRequestBytes {
                refuseLength()
            } else if let subscription {
                let (lines, isFull) = subscription.take()
                if isFull { drop() } else if lines.isEmpty { break } else { output = lines }
            } else {
                break
            }
        }
        settle()
    }

    /// Waits for the missing readiness, or closes when there is nothing to wait for.
    private func settle() {
        guard !isClosed else { return }
        let isDone = hasEnded && !isBusy && output.isEmpty && (subscription == nil || hasGone)
        if isDone || (isLeaving && output.isEmpty) { return close() }
        var readiness: EventLoop.Readiness = []
        if !output.isEmpty {
            readiness = .writable
        } else if !isBusy, !hasEnded, !isLeaving {
            readiness = .readable
        }
        watch?.change(to: readiness)
    }

    /// Writes as much as the connection takes.
    private func flush() {
        if hasGone { output = [] }
        while written < output.count {
            let sent = unsafe output.withUnsafeBytes { bytes in
                unsafe send(
                    descriptor, bytes.baseAddress.map { unsafe $0 + written }, bytes.count - written,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if sent < 0, errno == EAGAIN || errno == EINTR { return }
            guard sent > 0 else {
                hasGone = true
                output = []
                break
            }
            written += sent
        }
        (output, written) = ([], 0)
    }

    /// Closes the connection and ends the watch.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        endWatching()
        watch?.cancel()
        Glibc.close(descriptor)
        server?.forget(self)
    }

    /// Writes a last line after the one in progress, and closes once it is taken or time is up.
    private func leave(saying line: [UInt8]) {
        guard !isClosed, !isLeaving else { return }
        isLeaving = true
        endWatching()
        server?.forget(self)
        if written > 0, output[written - 1] != UInt8(ascii: "\n") {
            let end = output[written...].firstIndex(of: UInt8(ascii: "\n")) ?? output.endIndex - 1
            output = Array(output[written...end])
        } else {
            output = []
        }
        written = 0
        output += line
        if watch == nil, !hasGone { begin() }
        _ = LoopTimer(after: patience) { self.close() }
        go()
    }

    /// Dismisses a client whose request exceeds the limit.
    private func refuseLength() {
        dismiss(
            .invalid(
                "expected a request of at most \(Self.mostRequestBytes) bytes, found more; send less at once"
            ))
    }

    // MARK: - Answering

    /// Handles one request line.
    private func answer(_ line: [UInt8]) {
        guard let server else { return close() }
        lastMoment = server.nextMoment()
        guard line.count <= Self.mostRequestBytes else { return refuseLength() }
        if line.allSatisfy(" \r\t".utf8.contains) { return }
        do throws(ControlRequest.Mistake) {
            let request = try ControlRequest(line)
            isBusy = true
            // At high priority: effects begin at the usual one, and may occupy all its threads.
            Task(priority: .high) { @EventLoop in
                let result: Result<Value, ControlError>
                do throws(ControlError) {
                    result = .success(try await value(of: request, from: server))
                } catch {
                    result = .failure(error)
                }
                if let id = request.id, !isLeaving {
                    output +=
                        Self.isLong(request.method)
                        ? await BackgroundThread.value { Self.answer(id, result) } : Self.answer(id, result)
                }
                isBusy = false
                go()
            }
        } catch {
            if let id = error.id { output += Self.answer(id, .failure(error.error)) }
        }
    }

    /// Whether an answer may be too long to write on the event loop.
    private static func isLong(_ method: ControlMethod) -> Bool {
        [.state, .history, .plan, .status, .metrics, .deadLetters, .cluster, .trial].contains(method)
    }

    /// Returns the host's answer to a request.
    private func value(
        of request: ControlRequest, from server: ControlServer
    ) async throws(ControlError) -> Value {
        switch request.method {
        case .watch:
            try await beginWatching(try request.parameters.filter(), server.service.target)
            return ["watching": true]
        case .unwatch:
            endWatching()
            return ["watching": false]
        default: return try await server.service.answer(request.method, request.parameters, for: .client)
        }
    }

    /// Encodes an answer as one line.
    private nonisolated static func answer(_ id: Value, _ result: Result<Value, ControlError>) -> [UInt8] {
        var answer: Members = ["jsonrpc": "2.0", "id": id]
        switch result {
        case .success(let value): answer["result"] = value
        case .failure(let error): answer["error"] = error.value
        }
        var bytes: [UInt8] = []
        Value.object(answer).writeJSON(to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    // MARK: - Watching

    /// Starts a watch, replacing the one before.
    private func beginWatching(_ filter: WatchFilter, _ target: RunningHost) async throws(ControlError) {
        let next = WatchSubscription(filter) { [weak self] in
            EventLoop.perform { self?.takeNews() }
        }
        try await target.watch(next)
        guard !hasGone, !isLeaving, !isClosed else { return target.unwatch(next) }
        endWatching()
        subscription = next
    }

    /// Ends the watch; the client receives no more news.
    private func endWatching() {
        guard let subscription else { return }
        self.subscription = nil
        server?.service.target.unwatch(subscription)
    }

    /// Writes pending news once the client has taken the previous lines.
    private func takeNews() {
        if subscription?.isFull == true { drop() } else { go() }
    }

    /// Dismisses a client that does not read.
    private func drop() {
        guard !isClosed, !isLeaving else { return }
        server?.noteDropped(self)
        let notice: Value = [
            "jsonrpc": "2.0", "method": "dropped",
            "params": ["reason": .string(WatchSubscription.overflow)],
        ]
        leave(saying: Array((notice.json() + "\n").utf8))
    }
}
