// SPDX-License-Identifier: Apache-2.0

internal import Gatehouse

/// Makes an instance's connections to other services.
///
/// In the host, a plugin may open sockets by itself, and this does the same. A worker has no network: there the host makes the
/// connections that the instance's entry grants, and hands them over. A plugin that connects in this way runs in both.
///
/// ```swift
/// let connection = try await context.network.connect(
///     to: "api.example.com", port: 443, within: .seconds(10))
/// ```
public struct HostNetwork: Sendable {
    /// Takes a connection, or why there is none; called once, on any thread, which may make or take no other connection before it returns.
    public typealias Completion = @Sendable (Result<NetworkConnection, ConnectionFailure>) -> Void

    /// Whether this process cannot make connections by itself, and the host makes those that are granted, as in a worker.
    public let isConfined: Bool
    /// Begins to connect, and returns at once.
    private let begin: @Sendable (String, UInt16, Duration, @escaping Completion) -> Void

    /// Creates a network whose connections this process makes, each on a thread that ends with it.
    public init() {
        self.init(isConfined: false) { host, port, limit, completion in
            let isStarted = StoreThread.start {
                completion(
                    Result { () throws(ConnectionFailure) in
                        try NetworkConnection(to: host, port: port, within: limit)
                    })
            }
            if !isStarted { completion(.failure(.unreachable(host, port, "the system has no thread"))) }
        }
    }

    /// Creates a network whose connections somebody else makes, such as a test.
    ///
    /// - Parameter begin: begins to connect to a port of a host within a time, returns at once, and calls its last argument once.
    public init(
        isConfined: Bool,
        _ begin:
            @escaping @Sendable (
                _ host: String, _ port: UInt16, _ limit: Duration, _ completion: @escaping Completion
            ) -> Void
    ) {
        self.isConfined = isConfined
        self.begin = begin
    }

    /// Connects to a port of a host, and returns when the connection is there; a cancelled task gives it up at once.
    ///
    /// - Parameters:
    ///   - host: a name, or an address without brackets. A name is looked up for each connection, and its addresses are tried
    ///     until one answers.
    ///   - limit: how long that may take.
    /// - Throws: why there is no connection.
    public func connect(
        to host: String, port: UInt16, within limit: Duration = .seconds(60)
    ) async throws(ConnectionFailure) -> NetworkConnection {
        let waiter = ConnectionWaiter()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiter.wait(continuation)
                begin(host, port, limit) { waiter.end($0) }
            }
        } onCancel: {
            waiter.end(.failure(.cancelled(host, port)))
        }
        return try result.get()
    }

    /// Connects to a port of a host as the other `connect` does, and returns at once; callable from any thread.
    public func connect(
        to host: String, port: UInt16, within limit: Duration, completion: @escaping Completion
    ) {
        begin(host, port, limit, completion)
    }
}
