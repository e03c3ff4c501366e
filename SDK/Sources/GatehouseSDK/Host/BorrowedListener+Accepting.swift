// SPDX-License-Identifier: Apache-2.0

private import CGatehouse
internal import Gatehouse
private import Glibc
private import Synchronization

// Clients, one after the other.
extension BorrowedListener {
    /// Waits for the next client.
    ///
    /// A cancelled task gives the wait up at once, and no client is lost by that. Several tasks may wait.
    ///
    /// - Throws: why no client comes: the wait was given up, the socket was given back, or the system has no room for another one.
    public func accept() async throws(ConnectionFailure) -> NetworkConnection {
        let (waiter, wait) = (ConnectionWaiter(), AcceptWait())
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiter.wait(continuation)
                accept(during: wait) { waiter.end($0) }
            }
        } onCancel: {
            // The thread decides, so that a client whom it has just accepted is not dropped.
            wait.end()
        }
        return try result.get()
    }

    /// Waits for the next client as the other `accept` does, and returns at once.
    ///
    /// - Parameter completion: called once, on any thread; on this one where a client waits already.
    public func accept(completion: @escaping HostNetwork.Completion) {
        accept(during: AcceptWait(), completion)
    }

    // MARK: - Implementation details

    /// Accepts a client who is there already, or lets a thread of its own wait for one.
    private func accept(during wait: AcceptWait, _ completion: @escaping HostNetwork.Completion) {
        guard wait.isUsable else { return completion(.failure(failure(EMFILE))) }
        let first = content.withLock { content -> Result<NetworkConnection, ConnectionFailure>? in
            guard content.onReturn != nil else { return .failure(givenBack) }
            let outcome = next()
            if outcome == nil { content.waits[ObjectIdentifier(wait)] = wait }
            return outcome
        }
        if let first { return completion(first) }
        let isStarted = StoreThread.start { [self] in completion(result(of: wait)) }
        if !isStarted {
            leave(wait)
            completion(.failure(failure(EAGAIN)))
        }
    }

    /// Waits until a client comes, or somebody ends the wait.
    private func result(of wait: AcceptWait) -> Result<NetworkConnection, ConnectionFailure> {
        defer { leave(wait) }
        while wait.untilReadable(descriptor) {
            // Somebody else may have been faster.
            if let outcome = next() { return outcome }
        }
        return .failure(content.withLock { $0.onReturn == nil } ? givenBack : givenUp)
    }

    /// Takes note that a thread does not look at the socket any more.
    private func leave(_ wait: AcceptWait) {
        content.withLock { content in
            content.waits[ObjectIdentifier(wait)] = nil
            if content.waits.isEmpty { content.onLeave?.end() }
        }
    }

    /// Accepts a client without waiting; nil where none is there.
    private func next() -> Result<NetworkConnection, ConnectionFailure>? {
        while true {
            let accepted = gatehouse_accept(
                descriptor, nil, nil, Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue))
            if accepted >= 0 { return .success(NetworkConnection(descriptor: accepted)) }
            switch errno {
            case EAGAIN: return nil
            // A client that is gone before it was accepted is the system's error for this call.
            case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH,
                ENETUNREACH:
                continue
            case let error: return .failure(failure(error))
            }
        }
    }

    /// Why the system gives no client.
    private func failure(_ error: Int32) -> ConnectionFailure {
        ConnectionFailure(
            .unreachable, "\(address) takes no client: \(unsafe String(cString: strerror(error)))")
    }

    /// Nobody wants a client any more.
    private var givenUp: ConnectionFailure {
        ConnectionFailure(.cancelled, "the wait for a client at \(address) was given up")
    }

    /// The socket was given back.
    private var givenBack: ConnectionFailure {
        ConnectionFailure(.cancelled, "\(address) was given back, so no client comes")
    }
}
