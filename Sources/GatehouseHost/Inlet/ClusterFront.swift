// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// Stands before a member's own host: what its instances emit and do not hear themselves goes to the partitions.
///
/// `@unchecked Sendable`: `core` is set before the host is known to anybody else; what waits is guarded by a lock.
public final class ClusterFront: OutputRoute, @unchecked Sendable {
    /// Puts actions into partitions.
    let inlet: ClusterInlet
    /// The host behind it.
    private weak var core: HostCore?
    /// Tells what could not be given to the partitions.
    private let report: @Sendable (ClusterNotice) -> Void
    /// What waits to be put there, and whether a thread is about to; that thread must not be the drain, which would wait for
    /// the engine.
    private let waiting = Mutex((actions: [AnyAction](), isOnItsWay: false))
    /// So many may wait.
    private static let most = 65_536

    /// A front without a host.
    init(_ inlet: ClusterInlet, report: @escaping @Sendable (ClusterNotice) -> Void) {
        self.inlet = inlet
        self.report = report
    }

    /// The dead letters of that host; nil before it is known, and when it has gone.
    var letters: DeadLetters? { core?.dependencies.letters }

    /// Says which host it is; called before the host is started.
    func stand(before core: HostCore) { self.core = core }

    func take(_ output: DispatchedAction<AnyAction>) -> Bool {
        guard let core, let generation = core.generation else { return false }
        let route = generation.routes.route(for: output.action.type)
        if unsafe !route.stops.isEmpty || ReservedNames.isForHost(output.action.type.name) { return false }
        let (isTaken, isFirst) = waiting.withLock { waiting in
            guard waiting.actions.count < Self.most else { return (false, false) }
            waiting.actions.append(output.action)
            defer { waiting.isOnItsWay = true }
            return (true, !waiting.isOnItsWay)
        }
        if !isTaken {
            core.dependencies.letters.add(
                .refusedOutput, output.action, from: output.dispatcher, instance: output.dispatcher.instance,
                reason: "\(Self.most) outputs wait for the cluster's engine already")
        }
        if isFirst { BackgroundThread.perform { [self] in send() } }
        return true
    }

    /// Puts into the partitions what waits, until nothing does.
    private func send() {
        while true {
            let actions = waiting.withLock { waiting in
                defer { waiting.actions = [] }
                waiting.isOnItsWay = !waiting.actions.isEmpty
                return waiting.actions
            }
            if actions.isEmpty { return }
            do {
                try inlet.append(actions)
            } catch {
                guard let core else { return }
                for action in actions {
                    core.dependencies.letters.add(
                        .refusedOutput, action,
                        from: ActionSource(file: "cluster", function: "", line: 0, info: nil),
                        instance: nil, reason: "\(error)")
                }
            }
        }
    }

    /// Whether nothing waits to be put into partitions.
    var isAtRest: Bool { waiting.withLock { $0.actions.isEmpty && !$0.isOnItsWay } }
}
