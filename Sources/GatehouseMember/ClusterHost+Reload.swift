// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
package import GatehousePlan
internal import GatehouseReload
internal import GatehouseRuntime
package import GatehouseSupport
private import Glibc

// A member switches to another plan at its turn: its partitions end, and begin again from their checkpoints.
extension ClusterHost: PlanFollower {
    /// Waits for this member's turn: members reload one after the other.
    ///
    /// - Throws: why the turn does not come.
    package func takeTurn() throws(Diagnostics) {
        do throws(ClusterFailure) {
            let engine = try cluster.connect()
            while try !engine.takeTurn(for: presence.name, Self.turn) {
                guard !stop.isAsked else { throw .refused("the host is shutting down") }
                stop.wait(atMost: 100)
            }
        } catch {
            throw Diagnostics([
                Diagnostic(
                    .error,
                    "the members of the cluster reload one after the other, and it is not the turn of this one: \(error); ask again"
                )
            ])
        }
    }

    /// Passes the turn on to the next member.
    package func endTurn() { try? cluster.connect().endTurn(of: presence.name) }

    /// How long a member keeps its turn if it does not end it.
    private static let turn = Duration.seconds(120)

    /// Returns the states of instances from one of the partitions, for a rehearsal; by the ids in the new plan.
    package func states(for difference: PlanDifference) -> [String: VersionedState] {
        guard let core = table.all.min(by: { $0.key < $1.key })?.value.core else { return [:] }
        let copies = try? core.between { [weak core] in
            core?.turn.map { RunningCopy(in: $0, for: difference).states }
        }
        return ((copies ?? nil) ?? [:]).mapValues(\.state)
    }

    /// Ends all partitions, and begins them again from their checkpoints with another plan.
    package func follow(_ plan: HostPlan) {
        maker.follow(plan)
        let before = membership.current.reloads
        membership.loadAgain(digest: ClusterDigest(of: plan).text)
        let end = ContinuousClock.now.advanced(by: Self.turn)
        while membership.current.reloads == before || !membership.current.isSettled {
            guard !stop.isAsked, failure == nil, .now < end else { return }
            _ = poll(nil, 0, 10)
        }
    }
}
