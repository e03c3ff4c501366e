// SPDX-License-Identifier: Apache-2.0

internal import CCurl
import Dispatch
import GatehouseSDK
import Synchronization

/// Sends requests, all on one thread, which starts with the first request and ends with `close`.
///
/// Callable from any thread.
final class CurlTransfers: Sendable {
    /// An order to the thread.
    private enum Order: Sendable {
        /// Send a request.
        case begin(
            UInt64, HTTPRequest, complete: @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void)
        /// Repeat one with a connection that the host has made, or end it.
        case connect(UInt64, Result<NetworkConnection, ConnectionFailure>)
        /// Give a request up.
        case cancel(UInt64)
    }

    /// The multi handle of libcurl.
    ///
    /// @unchecked Sendable: all functions are called on the thread that made it, but for `curl_multi_wakeup`, which libcurl
    /// allows on any thread; that is called under the lock, and the thread takes the handle out of it before it frees the
    /// handle.
    @safe private struct Handle: @unchecked Sendable {
        /// The pointer from libcurl.
        let pointer: UnsafeMutableRawPointer
    }

    /// The contents of the lock.
    private struct Content: Sendable {
        /// The thread's handle while it runs.
        var handle: Handle?
        /// Orders not yet seen by the thread, in order.
        var orders: [Order] = []
        /// Numbers the requests.
        var last: UInt64 = 0
        /// Whether the thread must give up all requests so far.
        var isClosing = false
    }

    /// Everything; the lock is held only as long as it takes to wake the thread.
    private let content = Mutex(Content())
    /// The most open connections.
    private let connections: Int
    /// Makes connections where this process cannot.
    private let network: HostNetwork

    /// Once for the process; libcurl counts the calls.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Creates an object that sends nothing yet.
    init(connections: Int, network: HostNetwork) {
        self.connections = connections
        self.network = network
    }

    /// Sends a request; gives it up when the task is cancelled.
    ///
    /// - Throws: why there was no answer.
    func perform(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let number = content.withLock { content in
            content.last += 1
            return content.last
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                order(.begin(number, request) { continuation.resume(returning: $0) })
                // A request cancelled before it began gets no other notice.
                if Task.isCancelled { order(.cancel(number)) }
            }
        } onCancel: {
            order(.cancel(number))
        }
        return try result.get()
    }

    /// Gives up all requests, and ends the thread unless there are new ones by then; a later request starts another one.
    func close() {
        content.withLock { content in
            guard let handle = content.handle else { return }
            content.isClosing = true
            _ = unsafe curl_multi_wakeup(handle.pointer)
        }
    }

    /// Hands an order to the thread, and starts the thread if there is none.
    private func order(_ order: Order) {
        let begins = content.withLock { content -> Result<Handle, HTTPFailure>? in
            switch order {
            case .begin: break
            // What it is about has ended with the thread.
            case .connect, .cancel: if content.handle == nil { return nil }
            }
            if let handle = content.handle {
                content.orders.append(order)
                _ = unsafe curl_multi_wakeup(handle.pointer)
                return nil
            }
            guard Self.isReady, let pointer = unsafe curl_multi_init() else {
                return .failure(HTTPFailure(isTimeout: false, words: "libcurl cannot be initialized"))
            }
            let handle = unsafe Handle(pointer: pointer)
            content.orders.append(order)
            content.handle = handle
            return .success(handle)
        }
        switch begins {
        case .success(let handle):
            // A queue of its own has a thread of its own while its one job runs.
            DispatchQueue(label: "gatehouse.http-client").async { self.run(handle) }
        case .failure(let failure):
            if case .begin(_, _, let complete) = order { complete(.failure(failure)) }
        case nil: break
        }
    }

    // MARK: - The thread

    /// Sends until it must end.
    private func run(_ handle: Handle) {
        var running: [UInt64: CurlTransfer] = [:]
        _ = unsafe gatehouse_curl_limit(handle.pointer, connections)
        while let (orders, isClosing) = takeOrders() {
            if isClosing {
                for transfer in running.values { cancel(transfer, handle) }
                running = [:]
            }
            for order in orders { follow(order, handle, &running) }
            var count: Int32 = 0
            _ = unsafe curl_multi_perform(handle.pointer, &count)
            var code = CURLE_OK
            while let done = unsafe gatehouse_curl_next_done(handle.pointer, &code) {
                let number = running.first { unsafe $0.value.handle == done }?.key
                _ = unsafe curl_multi_remove_handle(handle.pointer, done)
                if let number { end(number, code, &running) }
            }
            _ = unsafe curl_multi_poll(handle.pointer, nil, 0, 60_000, nil)
        }
        for transfer in running.values { cancel(transfer, handle) }
        running = [:]
        _ = unsafe curl_multi_cleanup(handle.pointer)
    }

    /// Returns the current orders, and whether to give up all earlier requests first.
    ///
    /// Returns nil when the thread must end; nobody has its handle any more then.
    private func takeOrders() -> (orders: [Order], isClosing: Bool)? {
        content.withLock { content in
            let orders = content.orders
            let isClosing = content.isClosing
            content.orders = []
            content.isClosing = false
            if isClosing, orders.isEmpty {
                content.handle = nil
                return nil
            }
            return (orders, isClosing)
        }
    }

    /// Ends a request, unless it only lacks a connection, which the host makes now.
    private func end(_ number: UInt64, _ code: CURLcode, _ running: inout [UInt64: CurlTransfer]) {
        guard let transfer = running[number] else { return }
        guard let limit = transfer.timeToConnect() else {
            running[number] = nil
            return transfer.end(code)
        }
        let request = transfer.request
        network.connect(to: request.host, port: request.port, within: limit) { [self] in
            order(.connect(number, $0))
        }
    }

    /// Carries out an order.
    private func follow(_ order: Order, _ handle: Handle, _ running: inout [UInt64: CurlTransfer]) {
        switch order {
        case .begin(let number, let request, let complete):
            guard
                let transfer = CurlTransfer(request, isConfined: network.isConfined, complete: complete)
            else {
                complete(.failure(HTTPFailure(isTimeout: false, words: "there is no memory for a request")))
                return
            }
            running[number] = transfer
            _ = unsafe curl_multi_add_handle(handle.pointer, transfer.handle)
        case .connect(let number, let result):
            // It may have been given up.
            guard let transfer = running[number] else { return }
            switch result {
            case .success(let connection):
                transfer.connect(through: connection)
                _ = unsafe curl_multi_add_handle(handle.pointer, transfer.handle)
            case .failure(let failure):
                running[number] = nil
                transfer.complete(
                    .failure(
                        HTTPFailure(
                            isTimeout: failure.reason == .timeout, isLasting: failure.reason == .notGranted,
                            words: failure.sentence)))
            }
        case .cancel(let number):
            if let transfer = running.removeValue(forKey: number) { cancel(transfer, handle) }
        }
    }

    /// Gives up one request.
    private func cancel(_ transfer: CurlTransfer, _ handle: Handle) {
        _ = unsafe curl_multi_remove_handle(handle.pointer, transfer.handle)
        transfer.complete(.failure(Self.cancelled))
    }

    /// The outcome of a request that was given up.
    private static let cancelled = HTTPFailure(isTimeout: false, words: "it was given up")
}
