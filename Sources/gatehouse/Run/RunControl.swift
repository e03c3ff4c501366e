// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehouseRuntime
internal import GatehouseSupport

/// The control socket of a run: open before a plugin is loaded, and removed after the journal was closed.
final class RunControl: RunComponent {
    /// The name by which operators call the host.
    let name: String
    /// Where clients connect; nil where control is off.
    let socket: ControlSocket?
    /// Answers clients; nil before the host has started, and after its end.
    private var endpoint: ControlEndpoint?

    /// Opens the socket, or reports why it cannot be opened.
    init(_ place: ControlPlace) throws(Ended) {
        name = place.name
        do {
            socket = try place.open()
        } catch {
            throw Ended(.configuration, "the control socket: \(error)")
        }
    }

    /// Answers clients from here on.
    func answer(by endpoint: ControlEndpoint) { self.endpoint = endpoint }

    func stop(_ code: ExitCode) -> ExitCode {
        endpoint = nil
        socket?.remove()
        return code
    }
}
