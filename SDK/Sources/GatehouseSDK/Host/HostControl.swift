// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// Asks the host what operators ask it through the control socket, for plugins that are a way to it themselves, such as a server.
///
/// Methods, parameters and results are those of the control protocol, which Documentation/Control.md describes:
///
/// ```swift
/// let answer = try await control.request("gate", ["id": "eu", "position": "close"])
/// ```
///
/// For tasks of effects, and callable from any of them. What a request does to the host takes its turn between two actions, so it
/// never ends while `handle` or a reducer waits for it.
public struct HostControl: Sendable {
    /// Why a request was not done, with the code that the protocol gives it.
    public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// A number of JSON-RPC, or one of the host's own below -32000.
        public let code: Int
        /// What was expected and found, and what to do.
        public let message: String
        /// The same for programs; nil where the sentence is all there is.
        public let data: Value?

        /// A failure of its parts.
        public init(code: Int, message: String, data: Value? = nil) {
            self.code = code
            self.message = message
            self.data = data
        }

        /// The message, a sentence for people.
        public var description: String { message }
    }

    /// Does what a method asks for.
    public typealias Request =
        @Sendable (_ method: String, _ parameters: Value) async throws(Failure) -> Value
    /// Begins to tell what passes a filter.
    public typealias Watch = @Sendable (_ parameters: Value) async throws(Failure) -> HostNews

    /// The host's function that answers requests.
    private let answer: Request
    /// The host's function that tells what passes.
    private let tell: Watch

    /// Control by two closures, which must be callable from any task.
    public init(request: @escaping Request, watch: @escaping Watch) {
        answer = request
        tell = watch
    }

    /// Does what a method of the control protocol asks for, and gives its result.
    ///
    /// - Throws: why it was not done. When the task is cancelled that is said at once; what has begun goes on.
    public func request(_ method: String, _ parameters: Value = [:]) async throws(Failure) -> Value {
        try await answer(method, parameters)
    }

    /// Watches what passes the host, until nobody holds the news any more or the task that reads them is cancelled.
    ///
    /// - Parameter parameters: those of the method `watch`: `types`, `instances`, `state`.
    public func watch(_ parameters: Value = [:]) async throws(Failure) -> HostNews {
        try await tell(parameters)
    }
}
