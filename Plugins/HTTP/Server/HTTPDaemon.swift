// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Dispatch
import GatehouseSDK
import Glibc
import Synchronization

/// Serves HTTP at a socket, by libmicrohttpd, which reads headers and bodies on threads of its own.
///
/// `unsafe` because the library is given C functions, and gives addresses of its connections.
///
/// `@unchecked Sendable`: what changes is guarded by the lock. The library has a reference from `start` to the end of `stop`.
@safe final class HTTPDaemon: @unchecked Sendable {
    /// How much a server takes.
    struct Bounds: Sendable {
        /// Connections at once.
        var connections = 1_024
        /// Bytes of bodies that may wait, of all requests together.
        var bodies = 64 << 20
    }

    /// A daemon of the library, whose functions may be called by any thread.
    @safe private struct Running: @unchecked Sendable {
        /// Where the library has it, until it is stopped.
        let pointer: OpaquePointer
    }

    /// What is guarded by the lock.
    private struct State {
        /// The daemon of the library; nil when it has stopped.
        var daemon: Running?
        /// Lets clients in; nil when the door is closed.
        var acceptor: Acceptor?
        /// Requests that are not done with.
        var exchanges: [ObjectIdentifier: HTTPExchange] = [:]
        /// Those among them that are there as a whole, and wait for their answers.
        var begun: Set<ObjectIdentifier> = []
        /// Answers that go on.
        var readers: [ObjectIdentifier: StreamReader] = [:]
        /// Whether nobody is let in any more.
        var isClosing = false
        /// Whether who is in is not waited for any more that has not asked for something as a whole.
        var isImpatient = false
        /// Whether nothing is answered any more.
        var isEnding = false
        /// Who waits until all requests are answered.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// Decides what requests are answered with.
    private let handler: any HTTPHandler
    /// Takes what the library and slow clients are to be told of.
    private let note: @Sendable (String) -> Void
    /// The bytes of bodies that may wait.
    private let budget: BodyBudget
    /// How much it takes.
    private let bounds: Bounds
    /// What the library calls; stays where it is until the daemon has stopped.
    private let callbacks: UnsafeMutablePointer<gatehouse_http_callbacks>
    /// The connections that are open.
    private let table: ConnectionTable
    /// What is known of requests, guarded by the lock.
    private let state = Mutex(State())

    /// A header may have so many bytes.
    private static let memory = 16 << 10
    /// A connection on which nothing moves ends after so many seconds.
    private static let timeout: UInt32 = 75

    /// A server that has not started.
    init(_ handler: any HTTPHandler, _ bounds: Bounds = Bounds(), note: @escaping @Sendable (String) -> Void)
    {
        self.handler = handler
        self.bounds = bounds
        self.note = note
        budget = BodyBudget(bounds.bodies)
        table = ConnectionTable(most: bounds.connections)
        unsafe callbacks = .allocate(capacity: 1)
    }

    deinit { unsafe callbacks.deallocate() }

    // MARK: - From start to stop

    /// Starts to serve at a socket, which is given back by `closeDoor`; false when there are no threads or descriptors for it.
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
                unsafe gatehouse_http_turn_away(connection, Self.full, Self.full.utf8.count)
            } else if unsafe !gatehouse_http_admit(running.pointer, connection) {
                table.withdraw()
            }
            return 0
        }
        state.withLock { ($0.daemon, $0.acceptor) = (running, acceptor) }
        return true
    }

    /// Lets nobody in any more, and gives the socket back; streams end, requests are answered.
    func closeDoor() {
        let (acceptor, readers) = state.withLock { state in
            state.isClosing = true
            defer { state.acceptor = nil }
            return (state.acceptor, state.readers.values.map { $0 })
        }
        acceptor?.close { table.close() }
        for reader in readers { reader.end() }
    }

    /// Waits until all requests are answered that have come as a whole, and those that begin to come within a moment; the door is
    /// closed.
    func drain() async {
        let moment = DispatchTimeInterval.milliseconds(Int(ConnectionLife.welcome / .milliseconds(1)))
        DispatchQueue.global().asyncAfter(deadline: .now() + moment) { [weak self] in
            self?.state.withLock { $0.isImpatient = true }
            self?.tellIfQuiet()
        }
        await withCheckedContinuation { waiter in
            let isDone = state.withLock { state in
                guard !isQuiet(state), state.daemon != nil else { return true }
                state.waiting.append(waiter)
                return false
            }
            if isDone { waiter.resume() }
        }
    }

    /// Whether nobody is in who is waited for.
    private func isQuiet(_ state: State) -> Bool {
        state.begun.isEmpty && (state.isImpatient || state.exchanges.isEmpty && table.askers == 0)
    }

    /// Lets those go on who wait until nobody is in who is waited for.
    private func tellIfQuiet() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard !state.waiting.isEmpty, isQuiet(state) else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Ends all that is left and waits for the threads; must not be called by one of them. Once is enough.
    func stop() {
        closeDoor()
        let (daemon, exchanges, readers) = state.withLock { state in
            state.isEnding = true
            let daemon = state.daemon
            state.daemon = nil
            return (daemon, state.exchanges.values.map { $0 }, state.readers.values.map { $0 })
        }
        guard let daemon else { return }
        for exchange in exchanges { exchange.finish(Self.ending) }
        for reader in readers { reader.end() }
        unsafe MHD_stop_daemon(daemon.pointer)
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
        unsafe Unmanaged.passUnretained(self).release()
    }

    /// Hangs up on connections that take too long over a header or a body; called now and then.
    func tick() {
        for _ in 0..<table.tick() { note("a client took too long over the body of a request") }
    }

    /// Whether nobody is in who waits for an answer, or may be about to ask for one.
    var isQuiet: Bool { state.withLock { isQuiet($0) } }

    /// How many connections are open.
    var connections: Int { table.count }

    /// What is said to who comes while the server ends.
    private static let ending = HTTPResponse.later("the server ends; try again")

    /// What is said to who asks for one stream too many.
    private static let streaming = HTTPResponse.later("the server has as many streams as it may; try again")

    /// What is said to who comes while every connection is answered that there may be.
    private static let full: String = {
        let sentence = "the server answers as many connections as it may; try again\n"
        return
            "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Type: text/plain\r\nContent-Length: \(sentence.utf8.count)\r\nConnection: close\r\n\r\n\(sentence)"
    }()

    // MARK: - What the library calls

    /// The first line of a request, in the memory of its connection.
    private typealias RequestLine = (
        method: UnsafePointer<CChar>, path: UnsafePointer<CChar>, version: UnsafePointer<CChar>
    )

    /// The server that a function of the library was given.
    private static func at(_ context: UnsafeMutableRawPointer?) -> HTTPDaemon? {
        unsafe context.map { unsafe Unmanaged<HTTPDaemon>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Takes a header, a piece of a body or its end.
    private func handle(
        _ connection: OpaquePointer, _ line: RequestLine, _ data: UnsafePointer<CChar>?,
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
                note("a client sent a body that is far too long; it was hung up on")
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

    /// Decides about a request whose header has come.
    private func begin(
        _ connection: OpaquePointer, _ line: RequestLine,
        _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        let request = unsafe request(on: connection, line)
        if let objection = request.objection {
            note("\(request.client) sent a request that can be read in two ways: \(objection)")
            // What follows may be a part of it, or another one.
            return unsafe queue(.refusal(400, objection, [("Connection", "close")]), on: connection)
        }
        let (most, then): (Int, @Sendable ([UInt8]) async -> HTTPResponse)
        switch handler.judge(request) {
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
        guard isOpen else { return unsafe queue(Self.ending, on: connection) }
        unsafe place.pointee = Unmanaged.passRetained(exchange).toOpaque()
        return .YES
    }

    /// A request is done with, or its client has gone.
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
        tellIfQuiet()
    }

    /// A connection was made, or has ended.
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
            tellIfQuiet()
        }
    }

    /// What is known of a connection; nil before it was told of.
    private func life(of connection: OpaquePointer) -> ConnectionLife? {
        unsafe gatehouse_http_attached(connection).map {
            unsafe Unmanaged<ConnectionLife>.fromOpaque($0).takeUnretainedValue()
        }
    }

    // MARK: - Requests and answers

    /// What a header says.
    private func request(on connection: OpaquePointer, _ line: RequestLine) -> HTTPRequest {
        let address = unsafe gatehouse_http_client(connection)
        var request = HTTPRequest(
            method: unsafe String(cString: line.method), path: unsafe String(cString: line.path),
            client: unsafe ClientAddress.text(of: address),
            network: unsafe ClientAddress.network(of: address))
        unsafe withUnsafeMutablePointer(to: &request) { request in
            _ = unsafe MHD_get_connection_values(
                connection, .GET_ARGUMENT_KIND,
                { request, _, name, value in
                    guard let name = unsafe name, let request = unsafe request else { return .YES }
                    unsafe request.assumingMemoryBound(to: HTTPRequest.self).pointee.query.append(
                        (String(cString: name), value.map { unsafe String(cString: $0) } ?? ""))
                    return .YES
                }, request)
            _ = unsafe MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { request, _, name, nameLength, value, valueLength in
                    guard let request = unsafe request else { return .YES }
                    unsafe request.assumingMemoryBound(to: HTTPRequest.self).pointee.fields.add(
                        UnsafeRawBufferPointer(start: name, count: nameLength),
                        UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueLength))
                    return .YES
                }, request)
        }
        if unsafe !gatehouse_http_has_whole_lines(connection, line.method, line.version) {
            request.fields.object(
                to:
                    "expected a header whose lines end with CR and LF and begin with a name, without zero bytes; found another one"
            )
        }
        request.fields.finish()
        return request
    }

    /// Hands an answer to the library.
    private func queue(_ answer: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
        var response: OpaquePointer?
        switch answer.body {
        case .bytes(let bytes):
            unsafe response = bytes.withUnsafeBytes { bytes in
                unsafe MHD_create_response_from_buffer(
                    bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                    .RESPMEM_MUST_COPY)
            }
        case .stream(let stream):
            let reader = unsafe StreamReader(stream, to: connection)
            let most = ConnectionTable.streams(of: bounds.connections)
            let refusal = state.withLock { state -> HTTPResponse? in
                guard !state.isClosing else { return Self.ending }
                state.readers = state.readers.filter { !$0.value.isClosed }
                guard state.readers.count < most else { return Self.streaming }
                state.readers[ObjectIdentifier(reader)] = reader
                return nil
            }
            if let refusal {
                stream.close()
                return unsafe queue(refusal, on: connection)
            }
            unsafe life(of: connection)?.enter(.streaming)
            unsafe response = reader.response()
        }
        guard let response = unsafe response else { return .NO }
        defer { unsafe MHD_destroy_response(response) }
        // Who keeps the connection would find it closed with the next request on its way.
        if state.withLock({ $0.isClosing }) {
            _ = unsafe MHD_add_response_header(response, "Connection", "close")
        }
        for field in answer.fields { _ = unsafe MHD_add_response_header(response, field.name, field.value) }
        return unsafe MHD_queue_response(connection, answer.status, response)
    }
}
