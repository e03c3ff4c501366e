// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Dispatch
import GatehouseSDK
import Glibc
import Synchronization

/// Serves HTTP at a socket, by libmicrohttpd, which reads headers and bodies on threads of its own.
///
/// `unsafe` because the library takes C functions, and hands out addresses of its connections.
///
/// `@unchecked Sendable`: the lock guards all that changes. The library has a reference from `start` to the end of `stop`.
@safe final class HTTPDaemon: @unchecked Sendable {
    /// The limits of a server.
    struct Bounds: Sendable {
        /// Connections at once.
        var connections = 1_024
        /// The most bytes of bodies in memory, of all requests together.
        var bodies = 64 << 20
    }

    /// A daemon of the library, whose functions may be called by any thread.
    @safe private struct Running: @unchecked Sendable {
        /// Its address, until it is stopped.
        let pointer: OpaquePointer
    }

    /// The contents of the lock.
    private struct State {
        /// The daemon of the library; nil when it has stopped.
        var daemon: Running?
        /// Accepts clients; nil when the server is closed.
        var acceptor: Acceptor?
        /// Unfinished requests.
        var exchanges: [ObjectIdentifier: HTTPExchange] = [:]
        /// Those of them that have come as a whole and wait for their answers.
        var begun: Set<ObjectIdentifier> = []
        /// Answers that are streams.
        var readers: [ObjectIdentifier: StreamReader] = [:]
        /// Whether no more clients are accepted.
        var isClosing = false
        /// Whether the server no longer waits for clients without a whole request.
        var isImpatient = false
        /// Whether no more requests are answered.
        var isEnding = false
        /// The callers that wait until all requests are answered.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// Decides about a request after its header; called by the threads of the library, which must not wait.
    private let judge: @Sendable (HTTPRequest) -> HTTPVerdict
    /// Takes messages of the library and about slow clients.
    private let note: @Sendable (String) -> Void
    /// The memory for bodies.
    private let budget: BodyBudget
    /// The limits.
    private let bounds: Bounds
    /// The library's callbacks; stay in place until the daemon has stopped.
    private let callbacks: UnsafeMutablePointer<gatehouse_http_callbacks>
    /// The connections that are open.
    private let table: ConnectionTable
    /// The facts about requests, guarded by the lock.
    private let state = Mutex(State())

    /// The most bytes of a header.
    private static let memory = 16 << 10
    /// The seconds after which an idle connection ends.
    private static let timeout: UInt32 = 75

    /// Creates a server that has not started.
    init(
        _ bounds: Bounds, judge: @escaping @Sendable (HTTPRequest) -> HTTPVerdict,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.judge = judge
        self.bounds = bounds
        self.note = note
        budget = BodyBudget(bounds.bodies)
        table = ConnectionTable(most: bounds.connections)
        unsafe callbacks = .allocate(capacity: 1)
    }

    deinit { unsafe callbacks.deallocate() }

    // MARK: - From start to stop

    /// Starts to serve at a socket, which `stopAccepting` gives back; false if threads or descriptors are missing.
    func start(at listener: BorrowedListener) -> Bool {
        let context = unsafe Unmanaged.passRetained(self)
        unsafe callbacks.initialize(
            to: gatehouse_http_callbacks(
                context: context.toOpaque(),
                handle: { context, connection, path, method, version, data, count, exchange in
                    guard let daemon = unsafe HTTPDaemon.at(context), let connection = unsafe connection,
                        let path = unsafe path, let method = unsafe method, let version = unsafe version,
                        let count = unsafe count, let exchange = unsafe exchange
                    else { return .NO }
                    return unsafe daemon.handle(connection, (method, path, version), data, count, exchange)
                },
                complete: { context, connection, exchange, _ in
                    guard let daemon = unsafe HTTPDaemon.at(context), let connection = unsafe connection,
                        let exchange = unsafe exchange
                    else { return }
                    unsafe daemon.complete(connection, exchange)
                },
                notify: { context, connection, attached, event in
                    guard let daemon = unsafe HTTPDaemon.at(context), let connection = unsafe connection,
                        let attached = unsafe attached
                    else { return }
                    unsafe daemon.notify(connection, attached, event)
                },
                note: { context, text in
                    guard let daemon = unsafe HTTPDaemon.at(context), let text = unsafe text else { return }
                    daemon.note(unsafe String(cString: text).filter { $0 != "\n" })
                }))
        let daemon = unsafe gatehouse_http_start(
            gatehouse_http_bounds(
                connections: UInt32(ConnectionTable.room(for: bounds.connections)), memory: Self.memory,
                timeout: Self.timeout,
                threads: 2),
            callbacks)
        guard let daemon = unsafe daemon else {
            unsafe context.release()
            return false
        }
        let running = unsafe Running(pointer: daemon)
        let acceptor = Acceptor(at: listener) { [table] in
            let connection = gatehouse_http_accept(listener.descriptor)
            guard connection >= 0 else { return -connection }
            if !table.admit() {
                unsafe gatehouse_http_turn_away(connection, HTTPResponse.full, HTTPResponse.full.utf8.count)
            } else if unsafe !gatehouse_http_admit(running.pointer, connection) {
                table.withdraw()
            }
            return 0
        }
        state.withLock { ($0.daemon, $0.acceptor) = (running, acceptor) }
        return true
    }

    /// Stops accepting, and gives the socket back; ends streams, still answers requests.
    func stopAccepting() {
        let (acceptor, readers) = state.withLock { state in
            state.isClosing = true
            defer { state.acceptor = nil }
            return (state.acceptor, Array(state.readers.values))
        }
        acceptor?.close { table.close() }
        for reader in readers { reader.end() }
    }

    /// Waits until all requests are answered that have come as a whole, or begin within a moment; the server is closed.
    func drain() async {
        let moment = DispatchTimeInterval.milliseconds(Int(ConnectionLife.welcome / .milliseconds(1)))
        DispatchQueue.global().asyncAfter(deadline: .now() + moment) { [weak self] in
            self?.state.withLock { $0.isImpatient = true }
            self?.tellIfIdle()
        }
        await withCheckedContinuation { waiter in
            let isDone = state.withLock { state in
                guard !isIdle(state) else { return true }
                state.waiting.append(waiter)
                return false
            }
            if isDone { waiter.resume() }
        }
    }

    /// Returns whether there is nobody left to wait for.
    private func isIdle(_ state: State) -> Bool {
        state.daemon == nil
            || state.begun.isEmpty
                && (state.isImpatient || state.exchanges.isEmpty && table.askers == 0)
    }

    /// Resumes the callers of `drain` when there is nobody left to wait for.
    private func tellIfIdle() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard !state.waiting.isEmpty, isIdle(state) else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Ends everything and waits for the threads; must not be called by one of them. Once is enough.
    func stop() {
        stopAccepting()
        let (daemon, exchanges, readers) = state.withLock { state in
            state.isEnding = true
            return (state.daemon.take(), Array(state.exchanges.values), Array(state.readers.values))
        }
        guard let daemon else { return }
        for exchange in exchanges { exchange.finish(.ending) }
        for reader in readers { reader.end() }
        unsafe MHD_stop_daemon(daemon.pointer)
        tellIfIdle()
        unsafe Unmanaged.passUnretained(self).release()
    }

    /// Hangs up on connections that take too long over a header or a body; called now and then.
    func tick() {
        for _ in 0..<table.tick() { note("a client took too long over the body of a request") }
    }

    /// Whether no client waits for an answer, or may be about to ask for one.
    var isIdle: Bool { state.withLock { isIdle($0) } }

    /// Whether the server has stopped accepting.
    var isClosing: Bool { state.withLock { $0.isClosing } }

    /// The number of open connections.
    var connections: Int { table.count }

    // MARK: - What the library calls

    /// Returns the server from a callback's context.
    private static func at(_ context: UnsafeMutableRawPointer?) -> HTTPDaemon? {
        unsafe context.map { unsafe Unmanaged<HTTPDaemon>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Takes a header, a piece of a body or its end.
    private func handle(
        _ connection: OpaquePointer, _ line: HTTPRequest.Line, _ data: UnsafePointer<CChar>?,
        _ count: UnsafeMutablePointer<Int>,
        _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        guard let known = unsafe place.pointee else {
            unsafe life(of: connection)?.enter(.receiving)
            return unsafe begin(connection, line, place)
        }
        let exchange = unsafe Unmanaged<HTTPExchange>.fromOpaque(known).takeUnretainedValue()
        if unsafe count.pointee > 0, let data = unsafe data {
            let piece = unsafe UnsafeRawBufferPointer(start: data, count: count.pointee)
            unsafe count.pointee = 0
            guard unsafe exchange.append(piece) else {
                note("a client sent a body that is far too long; it was disconnected")
                return .NO
            }
            return .YES
        }
        if !exchange.isBegun {
            unsafe life(of: connection)?.enter(.answering)
            state.withLock { _ = $0.begun.insert(ObjectIdentifier(exchange)) }
            if exchange.begin() { return .YES }
        }
        guard let answer = exchange.answer else { return .YES }
        return unsafe queue(answer, on: connection)
    }

    /// Decides about a request after its header.
    private func begin(
        _ connection: OpaquePointer, _ line: HTTPRequest.Line,
        _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        let request = unsafe HTTPRequest(on: connection, line)
        if let objection = request.objection {
            note("\(request.client) sent a request that can be read in two ways: \(objection)")
            // The following bytes may be part of it, or another one.
            return unsafe queue(.refusal(400, objection, [("Connection", "close")]), on: connection)
        }
        let (most, then): (Int, @Sendable ([UInt8]) async -> HTTPResponse)
        switch judge(request) {
        case .answer(let answer): return unsafe queue(answer, on: connection)
        case .read(let limit, let body): (most, then) = (limit, body)
        }
        let length = request.contentLength ?? 0
        guard length >= 0, length <= most else {
            note("\(request.client) announced a body of \(length) bytes for \(request.path)")
            return unsafe queue(
                .refusal(413, "expected at most \(most) bytes, found \(length); send less at once"),
                on: connection)
        }
        let exchange = unsafe HTTPExchange(request, on: connection, atMost: most, budget, then: then)
        let isOpen = state.withLock { state in
            guard !state.isEnding else { return false }
            state.exchanges[ObjectIdentifier(exchange)] = exchange
            return true
        }
        guard isOpen else { return unsafe queue(.ending, on: connection) }
        unsafe place.pointee = Unmanaged.passRetained(exchange).toOpaque()
        return .YES
    }

    /// Ends a request, or one whose client has gone.
    private func complete(
        _ connection: OpaquePointer, _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) {
        unsafe life(of: connection)?.enter(.idle)
        guard let known = unsafe place.pointee else { return }
        unsafe place.pointee = nil
        let exchange = unsafe Unmanaged<HTTPExchange>.fromOpaque(known).takeRetainedValue()
        state.withLock { state in
            state.exchanges[ObjectIdentifier(exchange)] = nil
            state.begun.remove(ObjectIdentifier(exchange))
        }
        tellIfIdle()
    }

    /// Records the start or end of a connection.
    private func notify(
        _ connection: OpaquePointer, _ attached: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
        _ event: MHD_ConnectionNotificationCode
    ) {
        if event == .CONNECTION_NOTIFY_STARTED {
            let life = ConnectionLife(unsafe gatehouse_http_socket(connection))
            table.begin(life)
            unsafe attached.pointee = Unmanaged.passRetained(life).toOpaque()
        } else if let known = unsafe attached.pointee {
            unsafe attached.pointee = nil
            let life = unsafe Unmanaged<ConnectionLife>.fromOpaque(known).takeRetainedValue()
            // The descriptor is closed after this call.
            life.end()
            table.end(life)
            tellIfIdle()
        }
    }

    /// Returns the facts about a connection; nil before it was reported.
    private func life(of connection: OpaquePointer) -> ConnectionLife? {
        unsafe gatehouse_http_attached(connection).map {
            unsafe Unmanaged<ConnectionLife>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Hands an answer to the library.
    private func queue(_ answer: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
        guard case .stream(let stream) = answer.body else {
            return unsafe answer.queue(on: connection, isLast: isClosing)
        }
        let reader = unsafe StreamReader(stream, to: connection)
        let most = ConnectionTable.streams(of: bounds.connections)
        let refusal = state.withLock { state -> HTTPResponse? in
            guard !state.isClosing else { return .ending }
            state.readers = state.readers.filter { !$0.value.isClosed }
            guard state.readers.count < most else { return .tooManyStreams }
            state.readers[ObjectIdentifier(reader)] = reader
            return nil
        }
        if let refusal {
            stream.close()
            return unsafe queue(refusal, on: connection)
        }
        unsafe life(of: connection)?.enter(.streaming)
        return unsafe answer.queue(on: connection, from: reader, isLast: isClosing)
    }
}
