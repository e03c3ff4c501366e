// SPDX-License-Identifier: Apache-2.0

/// Gives an instance its listening sockets, which belong to the run and not to the instance.
///
/// A socket stays open while one instance takes over from another. Under a supervisor or a service manager it also survives a
/// crash. Clients then only wait until somebody accepts them. While an instance has a socket, the run continues even after its
/// inputs have ended.
///
/// In a worker the host opens the sockets that the instance's entry grants, when the instance starts, and keeps them open while one
/// process of the worker follows another.
///
/// ```swift
/// let listener = try context.listeners.listen(at: .port(host: "127.0.0.1", 8080))
/// while true {
///     let connection = try await listener.accept()
///     await answer(connection)
/// }
/// ```
public struct HostListeners: Sendable {
    /// Finds or opens the socket for an address.
    private let borrow: @Sendable (ListeningAddress) throws(ListeningFailure) -> BorrowedListener

    /// Creates a source of sockets; outside of a host it opens each one, and closes it when it is given back.
    public init(
        _ borrow: @escaping @Sendable (ListeningAddress) throws(ListeningFailure) -> BorrowedListener = {
            address throws(ListeningFailure) in try BorrowedListener(opening: address)
        }
    ) {
        self.borrow = borrow
    }

    /// Listens at an address; callable from any thread, and in the plugin's start.
    ///
    /// - Throws: why nobody can listen there, or that another instance does.
    public func listen(at address: ListeningAddress) throws(ListeningFailure) -> BorrowedListener {
        try borrow(address)
    }
}
