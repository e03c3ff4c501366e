// SPDX-License-Identifier: Apache-2.0

extension Host {
    /// Answers the clients of a control socket, as long as somebody keeps what this returns.
    ///
    /// - Parameters:
    ///   - name: what operators call the host.
    ///   - reloading: plans and reloads; nil where there is nothing to read again.
    ///   - patience: how long a request waits for its turn.
    public func serve(
        _ socket: ControlSocket, as name: String, reloading: (any ControlReloading)? = nil,
        patience: Duration = .seconds(3)
    ) -> ControlService {
        let control = HostControl(self, name: name, reloading: reloading, patience: patience)
        return ControlService(ControlServer(socket, target: control) { [reports] in reports.send($0) })
    }
}
