// SPDX-License-Identifier: Apache-2.0

extension Host {
    /// Does what clients of a control socket ask for, as long as somebody keeps what this returns, and what instances ask for that
    /// are granted `control`; called once.
    ///
    /// - Parameters:
    ///   - socket: where clients connect; nil where only instances ask.
    ///   - name: what operators call the host.
    ///   - reloading: plans and reloads; nil where there is nothing to read again.
    ///   - past: looks back; nil where nothing is kept.
    ///   - patience: how long a request waits for its turn.
    public func serve(
        _ socket: ControlSocket?, as name: String, reloading: (any ControlReloading)? = nil,
        past: (any ControlPast)? = nil, patience: Duration = .seconds(3)
    ) -> ControlService {
        let desk = ControlDesk(
            RunningHost(self, name: name, reloading: reloading, past: past, patience: patience))
        core.dependencies.control.settle(desk)
        return ControlService(
            socket.map { ControlServer($0, desk: desk) { [reports] in reports.send($0) } })
    }
}
