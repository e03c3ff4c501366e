// SPDX-License-Identifier: Apache-2.0

internal import CCurl
import GatehouseSDK
import Synchronization

/// Sends the requests of all instances in this process, on one thread: it starts with a first request, and ends when all
/// instances that have sent one are closed.
///
/// Callable from any thread. A thread for each instance would be taken from the pool that all tasks share, until there is none left.
final class CurlTransfers: Sendable {
    /// An order to the thread.
    private enum Order: Sendable {
        /// Send a request.
        case begin(
            UInt64, HTTPRequest, CurlClient, complete: @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void)
        /// Repeat one with a connection that the host has made, or end it.
        case connect(UInt64, Result<NetworkConnection, ConnectionFailure>)
        /// Give a request up.
        case cancel(UInt64)
        /// Give up all requests of an instance so far.
        case close(CurlClient.Number)
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
        /// The instances that have sent requests and are not closed.
        var clients: Set<CurlClient.Number> = []
        /// Numbers the requests.
        var last: UInt64 = 0
    }

    /// Everything; the lock is held only as long as it takes to wake the thread.
    private let content = Mutex(Content())

    /// Once for the process; libcurl counts the calls.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Those of this process.
    static let shared = CurlTransfers()

    /// Sends a request of an instance; gives it up when the task is cancelled.
    ///
    /// - Throws: why there was no answer.
    func perform(_ request: HTTPRequest, of client: CurlClient) async throws(HTTPFailure) -> HTTPResponse {
        let number = content.withLock { content in
            content.last += 1
            return content.last
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                order(.begin(number, request, client) { continuation.resume(returning: $0) })
                // A request cancelled before it began gets no other notice.
                if Task.isCancelled { order(.cancel(number)) }
            }
        } onCancel: {
            order(.cancel(number))
        }
        return try result.get()
    }

    /// Gives up all requests of an instance; a later one opens it again.
    func close(_ client: CurlClient.Number) { order(.close(client)) }

    /// Hands an order to the thread, and starts the thread if there is none.
    private func order(_ order: Order) {
        let begins = content.withLock { content -> Result<Handle, HTTPFailure>? in
            switch order {
            case .begin(_, _, let client, _): content.clients.insert(client.number)
            case .close(let client): content.clients.remove(client)
            case .connect, .cancel: break
            }
            if let handle = content.handle {
                content.orders.append(order)
                _ = unsafe curl_multi_wakeup(handle.pointer)
                return nil
            }
            // What any other order is about has ended with the thread.
            guard case .begin = order else { return nil }
            guard Self.isReady, let pointer = unsafe curl_multi_init() else {
                return .failure(HTTPFailure(isTimeout: false, words: "libcurl cannot be initialized"))
            }
            let handle = unsafe Handle(pointer: pointer)
            content.orders.append(order)
            content.handle = handle
            return .success(handle)
        }
        switch begins {
        case .success(let handle): start(handle)
        case .failure(let failure):
            if case .begin(_, _, _, let complete) = order { complete(.failure(failure)) }
        case nil: break
        }
    }

    // MARK: - The thread

    /// Starts the thread, or fails all requests that have come for it.
    private func start(_ handle: Handle) {
        let work = unsafe Unmanaged.passRetained(Work { [self] in run(handle) })
        let refused = unsafe gatehouse_curl_start(
            { work in
                guard let work = unsafe work else { return nil }
                unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().run()
                return nil
            }, work.toOpaque())
        guard refused != 0 else { return }
        unsafe work.release()
        let orders = content.withLock { content in
            defer { content = Content(last: content.last) }
            return content.orders
        }
        _ = unsafe curl_multi_cleanup(handle.pointer)
        for case .begin(_, _, _, let complete) in orders {
            complete(.failure(HTTPFailure(isTimeout: false, words: "the system has no thread left for it")))
        }
    }

    /// Carries a closure through a C function.
    private final class Work: Sendable {
        /// What the thread does.
        let run: @Sendable () -> Void

        /// Keeps a closure until the thread begins.
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Sends until it must end.
    private func run(_ handle: Handle) {
        gatehouse_curl_name_thread()
        _ = unsafe gatehouse_curl_keep(handle.pointer, 1_024)
        var running: [UInt64: CurlTransfer] = [:]
        while let orders = takeOrders(whenIdle: running.isEmpty) {
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
        _ = unsafe curl_multi_cleanup(handle.pointer)
    }

    /// Returns the current orders; nil when the thread must end, and nobody has its handle any more then.
    private func takeOrders(whenIdle isIdle: Bool) -> [Order]? {
        content.withLock { content in
            let orders = content.orders
            content.orders = []
            guard orders.isEmpty, isIdle, content.clients.isEmpty else { return orders }
            content.handle = nil
            return nil
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
        transfer.client.network.connect(to: request.host, port: request.port, within: limit) { [self] in
            order(.connect(number, $0))
        }
    }

    /// Carries out an order.
    private func follow(_ order: Order, _ handle: Handle, _ running: inout [UInt64: CurlTransfer]) {
        switch order {
        case .begin(let number, let request, let client, let complete):
            guard
                let transfer = CurlTransfer(request, of: client, complete: complete)
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
        case .close(let client):
            for (number, transfer) in running where transfer.client.number == client {
                running[number] = nil
                cancel(transfer, handle)
            }
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
