// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehousePlan
package import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// The gateway of a member's own host: sends actions that its instances emit and do not hear themselves to the partitions.
///
/// `@unchecked Sendable`: `store` is set before the host is known to anybody else; waiting actions are guarded by a lock.
package final class ClusterGateway: OutputRoute, @unchecked Sendable {
    /// Appends actions to partitions.
    package let router: ClusterRouter
    /// The member's own host.
    private weak var store: HostStore?
    /// Reports actions that could not be appended.
    private let report: @Sendable (ClusterNotice) -> Void
    /// The waiting actions, and whether a thread is about to append them; that thread must not be the drain, which would
    /// wait for the engine.
    private let waiting = Mutex((actions: [AnyAction](), isOnItsWay: false))
    /// The most waiting actions.
    private static let most = 65_536

    /// Creates a gateway without a host.
    package init(_ router: ClusterRouter, report: @escaping @Sendable (ClusterNotice) -> Void) {
        self.router = router
        self.report = report
    }

    /// The dead letters of the host; nil before it is known, and once it has gone.
    package var letters: DeadLetters? { store?.dependencies.letters }

    /// Sets the host; called before it is started.
    ///
    /// Tasks that bring actions to it get an answer while the engine takes none.
    package func stand(before store: HostStore) {
        self.store = store
        router.onSilence { [posted = store.dependencies.posted] failure in
            posted.refuse(because: failure.map { "\($0)" })
        }
    }

    package func take(_ output: DispatchedAction<AnyAction>) -> Bool {
        guard let store, let generation = store.generation else { return false }
        let route = generation.routes.route(for: output.action.type)
        if unsafe !route.stops.isEmpty || ReservedNames.isForHost(output.action.type.name) { return false }
        let (isTaken, isFirst) = waiting.withLock { waiting in
            guard waiting.actions.count < Self.most else { return (false, false) }
            waiting.actions.append(output.action)
            defer { waiting.isOnItsWay = true }
            return (true, !waiting.isOnItsWay)
        }
        if !isTaken {
            store.dependencies.letters.add(
                .refusedOutput, output.action, from: output.dispatcher, instance: output.dispatcher.instance,
                reason: "\(Self.most) outputs wait for the cluster's engine already")
        }
        if isFirst { BackgroundThread.perform { [self] in send() } }
        return true
    }

    /// Appends the waiting actions to partitions, until there are none.
    private func send() {
        while true {
            let actions = waiting.withLock { waiting in
                defer { waiting.actions = [] }
                waiting.isOnItsWay = !waiting.actions.isEmpty
                return waiting.actions
            }
            if actions.isEmpty { return }
            do {
                try router.append(actions)
            } catch {
                guard let store else { return }
                for action in actions {
                    store.dependencies.letters.add(
                        .refusedOutput, action,
                        from: ActionSource(file: "cluster", function: "", line: 0, info: nil),
                        instance: nil, reason: "\(error)")
                }
            }
        }
    }

    /// Whether no action waits.
    package var isIdle: Bool { waiting.withLock { $0.actions.isEmpty && !$0.isOnItsWay } }
}
