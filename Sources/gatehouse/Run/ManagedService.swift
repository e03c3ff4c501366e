// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSupport

/// Keeps the service manager informed of a run.
struct ManagedService: RunComponent {
    /// Reaches the manager, each message within a second.
    private let service: NotifySocket
    /// The activity of the host, in one line.
    private let status: String
    /// Asks the run to end.
    private let request: StopRequest

    /// Prepares the report about a host.
    init(_ service: NotifySocket, of host: Host, _ generation: FirstGeneration, _ request: StopRequest) {
        self.service = service
        self.request = request
        status =
            generation.refused.map { "degraded: \($0.sentence)" }
            ?? "running \(Counted.text(host.instanceIDs.count, "instance"))"
    }

    func ready() {
        service.follow(request)
        service.watch()
        service.tell(.ready, .status(status))
    }

    func stop(_ code: ExitCode) -> ExitCode {
        service.tell(.stopping)
        return code
    }
}
