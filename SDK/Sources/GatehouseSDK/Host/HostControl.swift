// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// Sends the host the requests of the control socket; for plugins that give operators access, such as a server.
///
/// Methods, parameters and results are those of the control protocol, which Documentation/Control.md describes:
///
/// ```swift
/// let answer = try await control.request("gate", ["id": "eu", "position": "close"])
/// ```
///
/// For tasks of effects; callable from any of them. A request changes the host between two actions, so it never ends while
/// `handle` or a reducer waits for it.
public struct HostControl: Sendable {
    /// Why a request was not done, with the protocol's error code.
    public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// A number of JSON-RPC, or one of the host's own below -32000.
        public let code: Int
        /// What was expected and found, and the remedy.
        public let message: String
        /// The same for programs; nil where the sentence says everything.
        public let data: Value?

        /// Creates a failure from its parts.
        public init(code: Int, message: String, data: Value? = nil) {
            self.code = code
            self.message = message
            self.data = data
        }

        /// The message, a sentence for people.
        public var description: String { message }
    }

    /// Performs a method.
    public typealias Request =
        @Sendable (_ method: String, _ parameters: Value) async throws(Failure) -> Value
    /// Starts watching actions and state that pass a filter.
    public typealias Watch = @Sendable (_ parameters: Value) async throws(Failure) -> HostNews

    /// The host's function that answers requests.
    private let answer: Request
    /// The host's function that starts a watch.
    private let tell: Watch

    /// Creates a control from two closures, which must be callable from any task.
    public init(request: @escaping Request, watch: @escaping Watch) {
        answer = request
        tell = watch
    }

    /// Performs a method of the control protocol and returns its result.
    ///
    /// - Throws: why it was not done; at once when the task is cancelled, while work that has begun continues.
    public func request(_ method: String, _ parameters: Value = [:]) async throws(Failure) -> Value {
        try await answer(method, parameters)
    }

    /// Watches the host until nobody holds the news any more or the task that reads them is cancelled.
    ///
    /// - Parameter parameters: those of the method `watch`: `types`, `instances`, `state`.
    public func watch(_ parameters: Value = [:]) async throws(Failure) -> HostNews {
        try await tell(parameters)
    }
}
