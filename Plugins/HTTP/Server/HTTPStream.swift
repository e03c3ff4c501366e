// SPDX-License-Identifier: Apache-2.0

/// A body of which more comes while the client listens.
///
/// Read by one thread of the server at a time; what it waits for may come from any.
protocol HTTPStream: AnyObject, Sendable {
    /// Takes what is there, at most so many bytes.
    func read(atMost most: Int) -> HTTPStreamPiece

    /// Sets what is called, on any thread, when there is something to read; called once, before the first `read`.
    func onArrival(_ body: @escaping @Sendable () -> Void)

    /// The client has gone, or the server ends; called once, behind the last `read`.
    func close()
}

/// What a stream has to give.
enum HTTPStreamPiece: Sendable {
    /// These bytes, and maybe more behind them.
    case bytes([UInt8])
    /// Nothing for now.
    case nothing
    /// Nothing any more.
    case end
}
