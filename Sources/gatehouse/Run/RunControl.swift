// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehouseRuntime
internal import GatehouseSupport
private import Synchronization

/// The control socket of a run: open before a plugin is loaded, and removed after the journal was closed.
///
/// Callable from any thread.
final class RunControl: RunComponent, Sendable {
    /// What is guarded by the lock.
    private struct State {
        /// Where clients connect; nil where control is off, and before `open`.
        var socket: ControlSocket?
        /// Answers clients; nil before the host has started, and after its end.
        var endpoint: ControlEndpoint?
    }

    /// The name by which operators call the host.
    let name: String
    /// Where it is to be.
    private let place: ControlPlace
    /// What is open.
    private let state = Mutex(State())

    /// Opens the socket, or reports why it cannot be opened.
    ///
    /// - Parameter isSuccessor: whether the host before still has the socket, so that `open` opens it later.
    init(_ place: ControlPlace, isSuccessor: Bool = false) throws(Ended) {
        name = place.name
        self.place = place
        if !isSuccessor { try open(HandedSockets()) }
    }

    /// Opens the socket, or takes that of the host before; reports why there is none.
    func open(_ handed: HandedSockets) throws(Ended) {
        do {
            let socket = try place.open(handed)
            state.withLock { $0.socket = socket }
        } catch {
            throw Ended(.configuration, "the control socket: \(error)")
        }
    }

    /// Where clients connect; nil where control is off.
    var socket: ControlSocket? { state.withLock { $0.socket } }

    /// Answers clients from here on.
    func answer(by endpoint: ControlEndpoint) { state.withLock { $0.endpoint = endpoint } }

    /// Leaves new clients to the process that goes on; not on the event loop.
    func leave() { state.withLock { $0.endpoint }?.stopAccepting() }

    /// Takes new clients again, because no other process goes on.
    func comeBack() { state.withLock { $0.endpoint }?.accept() }

    /// Waits until the clients have their answers, a limited time.
    func finishAnswers() { state.withLock { $0.endpoint }?.finish(within: .seconds(5)) }

    func stop(_ code: ExitCode) -> ExitCode {
        state.withLock { $0.endpoint = nil }
        socket?.remove()
        return code
    }
}
