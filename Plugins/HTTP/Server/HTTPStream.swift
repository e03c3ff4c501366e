// SPDX-License-Identifier: Apache-2.0

/// A body that grows while the client listens.
///
/// Read by one thread of the server at a time; its data may come from any.
protocol HTTPStream: AnyObject, Sendable {
    /// Returns the available bytes, at most this many.
    func read(atMost most: Int) -> HTTPStreamPiece

    /// Sets the function to call, on any thread, when there is data; called once, before the first `read`.
    func onArrival(_ body: @escaping @Sendable () -> Void)

    /// Called once after the last `read`, when the client has gone or the server ends.
    func close()
}

/// The next piece of a stream.
enum HTTPStreamPiece: Sendable {
    /// These bytes, and maybe more after them.
    case bytes([UInt8])
    /// Nothing for now.
    case nothing
    /// The end of the stream.
    case end
}
