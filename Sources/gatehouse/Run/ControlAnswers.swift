// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehouseHistory
internal import GatehouseMember
internal import GatehouseRuntime
internal import GatehouseSupport

/// The answers of a host to clients of its control socket, and to instances that may control it.
struct ControlAnswers: RunComponent {
    /// Where clients connect.
    let control: RunControl
    /// The host that is controlled.
    let host: Host
    /// Its reloads, and its past.
    let reloading: Reloading
    /// Its upgrades.
    let upgrade: Upgrade
    /// Owns the partitions; nil outside a cluster.
    let member: ClusterHost?
    /// Counts crashes.
    let crashes: CrashLog

    func start() {
        control.answer(
            by: host.serve(
                control.socket, as: control.name, reloading: reloading.reloader, upgrading: upgrade,
                past: reloading.history.map { HistoryService($0) },
                cluster: member.map { ClusterService($0) },
                crashes: { [crashes] in crashes.account }))
    }

    func ready() {
        guard let socket = control.socket else { return }
        StandardError.tell("\(control.name) can be controlled at \(socket.path)")
    }
}
