// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseControl
internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// A member's cluster, as its control uses it; has its own connection to the engine.
package final class ClusterService: ControlCluster, Sendable {
    /// The member.
    private let member: ClusterHost
    /// The connection, which the lock gives to one thread at a time.
    private let connection: Mutex<ClusterConnection>
    /// How long an answer may take.
    private let patience: Duration

    /// Creates the service of a member.
    ///
    /// - Parameter patience: how long the engine may take to answer before the caller gets an error.
    package init(_ member: ClusterHost, patience: Duration = .seconds(3)) {
        self.member = member
        self.patience = patience
        connection = Mutex(ClusterConnection(to: member.cluster))
    }

    // MARK: - What the member knows

    var account: ClusterAccount {
        let standing = member.membership.current
        var account = member.counts.account
        account.name = member.configuration.name
        account.member = member.presence.name
        account.partitions = member.configuration.partitions
        account.members = standing.roll?.live.count ?? 0
        account.draining = standing.roll?.draining ?? []
        account.owned = standing.owned
        account.intended = standing.intended
        let stores = member.table.all
        account.running = stores.count
        account.effects = stores.values.reduce(0) { $0 + $1.core.queue.activity.running }
        account.trouble = (standing.failure ?? standing.trouble ?? member.gateway.router.trouble).map {
            "\($0)"
        }
        account.server = member.cluster.server
        account.appended = member.gateway.router.count
        return account
    }

    var instances: [(id: String, isInPartitions: Bool)] { member.maker.instances }

    var onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)? { member.maker.terms.onAction }

    func follow(_ tell: @escaping @Sendable (Int, PartitionChange) -> Void) { member.table.follow(tell) }

    func isForPartition(_ action: AnyAction) -> Bool { !ReservedNames.isForHost(action.type.name) }

    // MARK: - What the engine is asked

    func survey() async throws(ControlError) -> ClusterSurvey {
        try await ask { engine throws(ClusterFailure) in try engine.survey() }
    }

    func drain(_ member: String, _ isDraining: Bool) async throws(ControlError) {
        try await ask { engine throws(ClusterFailure) in try engine.drain(member, isDraining) }
    }

    func reload() async throws(ControlError) -> Int {
        // Not twice: each request is a reload of its own.
        try await ask(isRepeatable: false) { engine throws(ClusterFailure) in try engine.requestReload() }
    }

    func append(_ actions: [AnyAction]) async throws(ControlError) {
        try await wait { [member] () throws(ClusterFailure) in try member.gateway.router.append(actions) }
    }

    func appendToAll(_ action: AnyAction) async throws(ControlError) {
        try await wait { [member] () throws(ClusterFailure) in try member.gateway.router.appendToAll(action) }
    }

    /// Asks the engine on a thread that may wait for it, and for earlier requests.
    ///
    /// - Parameter isRepeatable: whether to ask again where the connection was lost since the last request.
    private func ask<Answer: Sendable>(
        isRepeatable: Bool = true,
        _ body: @escaping @Sendable (any ClusterEngine) throws(ClusterFailure) -> Answer
    ) async throws(ControlError) -> Answer {
        try await wait { [self] () throws(ClusterFailure) in
            try connection.withLock { connection in
                Result { () throws(ClusterFailure) in
                    isRepeatable ? try connection.useRepeatably(body) : try connection.use(body)
                }
            }.get()
        }
    }

    /// Runs a closure on a separate thread, and waits for it, though not forever.
    @EventLoop
    private func wait<Answer: Sendable>(
        for body: @escaping @Sendable () throws(ClusterFailure) -> Answer
    ) async throws(ControlError) -> Answer {
        let call = PendingAnswer<Result<Answer, ControlError>>()
        let timer = LoopTimer(after: patience) { [patience] in
            call.finish(
                .failure(
                    .busy(
                        "the engine of the cluster has not answered for \(patience.inSeconds); the request continues, and may still succeed"
                    )))
        }
        BackgroundThread.perform {
            call.finish(
                Result(catching: body).mapError {
                    $0.mayPass ? .busy("\($0); ask again") : .refused("\($0)")
                })
        }
        let result = await call.value()
        timer.cancel()
        return try result.get()
    }
}
