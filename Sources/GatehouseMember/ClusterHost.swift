// SPDX-License-Identifier: Apache-2.0

package import GatehouseCluster
internal import GatehouseControl
package import GatehouseLibrary
internal import GatehouseManifest
package import GatehousePlan
package import GatehouseReload
package import GatehouseRuntime
internal import GatehouseSDK
package import GatehouseSupport
private import Glibc

/// A member of a cluster: keeps its lease, runs partitions on threads, and appends input to partitions.
///
/// Beside it runs the member's own host, its *gateway*, which reads the inputs and has the instances of scope `host`.
package final class ClusterHost: Sendable {
    /// The gateway of the host that reads.
    package let gateway: ClusterGateway
    /// The member's presence.
    let presence: ClusterPresence
    /// Whether the partitions are in the memory of this process, and end with it.
    package let isInMemory: Bool
    /// The configuration of the cluster.
    let configuration: ClusterConfiguration
    /// Makes connections.
    package let cluster: any Cluster
    /// Keeps the lease.
    let membership: Membership
    /// The threads that run the partitions.
    private let threads: [PartitionThread]
    /// Makes the stores of partitions.
    package let maker: PartitionMaker
    /// The stores of the current partitions.
    let table = PartitionTable()
    /// Counts of the member's work.
    let counts = ClusterCounts()
    /// Receives reports of problems.
    private let reports: Reporter
    /// Keeps what the engine has confirmed.
    private let keeper: PromiseKeeper
    /// Tells the operator of an engine that does not answer.
    private let outage: EngineOutage
    /// The request to end.
    package let stop: StopRequest

    /// Creates a member that has not joined.
    ///
    /// - Parameters:
    ///   - place: where the engine is.
    ///   - plan: the running plan, of all scopes.
    ///   - images: the images of this process.
    ///   - grace: how long effects of a partition that is handed over may take to finish.
    package init(
        _ configuration: ClusterConfiguration, at place: ClusterPlace, _ terms: PartitionMaker.Terms,
        plan: HostPlan,
        images: ImageCache, grace: Duration, reports: Reporter, stop: StopRequest
    ) {
        let mailbox = Mailbox<Membership.Message>()
        let cluster = place.cluster(
            named: configuration.name, partitions: configuration.partitions, replicas: configuration.replicas,
            history: .seconds(configuration.history),
            patience: min(configuration.lease / 3, .seconds(2)),
            restarted: { server in
                let notice = server.former.map {
                    ClusterNotice.replaced(server: server.address, former: $0)
                }
                reports.send(.cluster(notice ?? .restarted))
                // Members read what no replica has confirmed yet.
                if server.replicas > 0 { mailbox.send(.replaced) }
            })
        let keys = ActionKeys(configuration)
        let presence = ClusterPresence(
            name: terms.member, life: String(UInt32.random(in: .min ... .max), radix: 36),
            digest: ClusterDigest(of: plan).text, version: "\(SDKIdentity.current.sdkVersion)",
            process: Int(getpid()), started: UnixTime.now)
        let report: @Sendable (ClusterNotice) -> Void = { reports.send(.cluster($0)) }
        let outage = EngineOutage(report)
        let router = ClusterRouter(
            of: presence.name, life: presence.life, into: cluster, by: keys,
            partitions: configuration.partitions, stop: stop, outage: outage, report: report)
        let gateway = ClusterGateway(router, report: report)
        let maker = PartitionMaker(
            terms, configuration, plan: plan, images: images, behind: gateway, keys: keys, counts: counts,
            reports: reports)
        let threads = (0..<Self.threads(for: configuration.partitions, at: place)).map { [table, counts] _ in
            PartitionThread(
                cluster, maker, table, counts, report: report,
                onCall: { mailbox.pipe.wake() }, tell: { mailbox.send(.event($0)) })
        }
        let file = terms.dataDirectory.map { PromiseFile(of: configuration.name, in: $0) }
        let keeper = PromiseKeeper(cluster.memory, in: file, report: report)
        let membership = Membership(
            presence, of: configuration, cluster, threads, mailbox, stop: stop, grace: grace,
            reports: reports, outage: outage, keepPromise: { keeper.keep(isLast: $0) })
        self.outage = outage
        self.keeper = keeper
        self.gateway = gateway
        self.presence = presence
        isInMemory = place == .memory
        self.configuration = configuration
        self.cluster = cluster
        self.membership = membership
        self.threads = threads
        self.maker = maker
        self.reports = reports
        self.stop = stop
    }

    /// Returns the number of threads: a Redis and the input take half of the processors.
    private static func threads(for partitions: Int, at place: ClusterPlace) -> Int {
        let processors = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        return min(partitions, max(1, place.isLocal ? processors : processors / 2))
    }

    /// Who this is, for another process that goes on as the same member.
    package var title: String {
        "the member \(presence.name) of the cluster \(configuration.name) at \(configuration.engine)"
    }

    /// Joins: from here on the cluster knows the member by its name; it has no partitions yet. Waits for an engine that does not answer.
    ///
    /// - Parameter whileWaiting: called before each pause in which the engine is waited for.
    /// - Returns: false when the end was requested meanwhile.
    /// - Throws: why it cannot join; the cluster is halted when the engine has lost something.
    package func join(whileWaiting: () -> Void = {}) throws(ClusterFailure) -> Bool {
        try keeper.recall()
        var patience = ClusterPatience(stop, outage)
        while true {
            do throws(ClusterFailure) {
                try joinOnce()
                patience.end()
                keeper.keep(isLast: true)
                return true
            } catch {
                if case .goneBack = error { membership.halt(for: error) }
                guard case .lost = error else { throw error }
                if stop.isAsked { return false }
                whileWaiting()
                try patience.wait(after: error)
            }
        }
    }

    /// Joins, if the engine answers.
    private func joinOnce() throws(ClusterFailure) {
        let engine = try cluster.connect()
        try compare(engine.survey().members)
        try engine.join(presence)
        reports.send(
            .cluster(
                .joined(
                    cluster: configuration.name, member: presence.name, partitions: configuration.partitions))
        )
    }

    /// Refuses to join members none of which is like this one: with other keys always, because actions with one key must meet one
    /// partition, and with other plugins or another configuration of them as the configuration says.
    private func compare(_ members: [ClusterSurvey.Member]) throws(ClusterFailure) {
        let others = members.filter { $0.presence.name != presence.name && $0.leaseLeft > .zero }
        let own = ClusterDigest(presence.digest)
        let differences = others.map { ClusterDigest($0.presence.digest).differences(from: own) }
        guard let first = differences.first else { return }
        let names = others.map(\.presence.name).sorted().joined(separator: ", ")
        let verb = others.count == 1 ? "has" : "have"
        if differences.allSatisfy({ $0.contains(.keys) }) {
            throw .refused(
                "\(names) \(verb) \(ClusterDigest.Part.words([.keys])) in \"cluster\"; write the same here, or stop all members to change it"
            )
        }
        guard configuration.mixedPlugins == .refuse, differences.allSatisfy({ !$0.isEmpty }) else { return }
        let common = differences.reduce(first) { $0.union($1) }
        throw .refused(
            "\(names) \(verb) \(ClusterDigest.Part.words(common)), and \"mixedPlugins\" is \"refuse\"; give this member the same libraries and settings, or change those of all by gatehouse ctl cluster reload"
        )
    }

    /// Starts keeping the lease and running partitions; false when the system refuses threads.
    package func begin() -> Bool { threads.allSatisfy { $0.start() } && membership.begin() }

    /// The counts of partitions that this member had and no longer has; nil where there were none.
    package var partitionCounts: HostCounts? { counts.stores }

    /// The counts of input: actions appended to partitions, and those dropped there as duplicates.
    package var traffic: (appended: Int, duplicates: Int) {
        (gateway.router.count, counts.account.duplicates)
    }

    /// Why the member could not continue; nil while it can.
    package var failure: ClusterFailure? { membership.current.failure }

    /// Waits until all input is processed, as far as this member has the partitions, or the end is requested.
    package func catchUp() {
        var before: (taken: Int, outputs: Int)?
        while !stop.isAsked, failure == nil {
            let stores = table.all
            let isIdle =
                hasAllOfItsOwn(stores) && gateway.isIdle && threads.allSatisfy { $0.idle > 1 }
                && stores.values.allSatisfy { $0.core.queue.activity.isIdle }
            let account = counts.account
            let now = (taken: account.taken, outputs: account.outputs)
            if isIdle, let before, before == now { return }
            before = isIdle ? now : nil
            stop.wait(atMost: 30)
        }
    }

    /// Whether every partition has an owner, and each of this member's has its store.
    ///
    /// The engine may still name this member as the owner because of an earlier process of the same name.
    private func hasAllOfItsOwn(_ stores: [Int: PartitionTable.Entry]) -> Bool {
        guard let titles = membership.current.roll?.titles else { return false }
        return titles.enumerated().allSatisfy { number, title in
            guard let owner = title.owner else { return false }
            return owner != presence.name || (stores[number]?.epoch ?? -1) >= title.epoch
        }
    }

    // MARK: - Another plan

    /// Sets the callback for requests to reload: of all members, or of this one by the action `host/reload` in a partition.
    package func onReload(_ body: @escaping @Sendable (ReloadTrigger) -> Void) {
        membership.onReload { body(.cluster) }
        maker.onReload { body(.action) }
    }

    // MARK: - The end

    /// Waits until the engine has what the member's own instances have emitted, for a limited time; for a member that has left.
    package func finishOutputs(within grace: Duration) {
        let end = ContinuousClock.now.advanced(by: grace)
        while !gateway.isIdle, ContinuousClock.now < end { _ = poll(nil, 0, 5) }
    }

    /// Hands all partitions over and leaves; returns when that is done or time is up, a little later than the time for their effects.
    package func leave(within grace: Duration) {
        let end = ContinuousClock.now.advanced(by: grace)
        membership.leave(by: end)
        while !membership.current.hasLeft { _ = poll(nil, 0, 5) }
    }
}
