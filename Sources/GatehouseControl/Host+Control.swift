// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSupport

extension Host {
    /// Does what clients of a control socket ask for, as long as somebody keeps what this returns, and what instances ask for that
    /// are granted `control`; called once.
    ///
    /// - Parameters:
    ///   - socket: where clients connect; nil where only instances ask.
    ///   - name: what operators call the host.
    ///   - reloading: plans and reloads; nil where there is nothing to read again.
    ///   - upgrading: lets another process go on; nil where none can.
    ///   - past: looks back; nil where nothing is kept.
    ///   - cluster: the cluster, of whose member this host is the gateway; nil for a host in no cluster.
    ///   - crashes: tells what is known of deaths; nil where nobody remembers them.
    ///   - keepsHour: whether samples are taken for the request `hour`.
    ///   - patience: how long a request waits for its turn.
    package func serve(
        _ socket: ControlSocket?, as name: String, reloading: (any ControlReloading)? = nil,
        upgrading: (any ControlUpgrading)? = nil, past: (any ControlPast)? = nil,
        cluster: (any ControlCluster)? = nil,
        crashes: (@Sendable () -> CrashAccount)? = nil, keepsHour: Bool = true,
        patience: Duration = .seconds(3)
    ) -> ControlEndpoint {
        let member = cluster.map {
            RunningMember(
                self, name: name, in: $0, reloading: reloading, upgrading: upgrading, past: past,
                crashes: crashes, patience: patience)
        }
        let service = ControlService(
            member
                ?? RunningHost(
                    self, name: name, reloading: reloading, upgrading: upgrading, past: past,
                    crashes: crashes,
                    patience: patience))
        store.dependencies.control.settle(service)
        member?.begin(service)
        if keepsHour { EventLoop.perform { service.hour.begin(atOnce: socket != nil) } }
        return ControlEndpoint(
            socket.map { ControlServer($0, service: service) { [reports] in reports.send($0) } })
    }
}
