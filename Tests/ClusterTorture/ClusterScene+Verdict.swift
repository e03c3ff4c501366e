// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseHostTesting
internal import Glibc

/// The part of a torture's results that writers and states determine.
protocol WriterOutcome {
    /// Violations of the promises.
    var faults: [String] { get set }
    /// The number of acknowledged actions.
    var acknowledged: Int { get set }
    /// The total of numbers in all states, including those that others led to.
    var entered: Int { get set }
    /// Unacknowledged numbers that came after higher ones.
    var late: Int { get set }
    /// Connections of writers that broke.
    var broken: Int { get set }
    /// The output of the members.
    var told: [String] { get set }
}

extension ClusterScene {
    /// The output of the members, of all their lives.
    var told: [String] {
        members.flatMap { member in
            member.ended.flatMap(\.errorLines).map { "\(member.name): \($0)" }
                + (member.process?.errorsSoFar.split(separator: "\n") ?? []).map { "\(member.name): \($0)" }
        }
    }

    /// Ends all members in good order; returns the objections to how they did.
    func end() throws -> [String] {
        let running = members.filter(\.isRunning)
        for member in running { try member.running().signal(SIGTERM) }
        return try running.flatMap { Self.objections(to: try $0.finish(), of: $0) }
    }

    /// Returns an objection if a member that was asked to end has not ended as it should.
    static func objections(to ending: ChildProcess.Outcome, of member: SceneMember) -> [String] {
        guard ending.exitCode != 0 else { return [] }
        let code = ending.exitCode.map(String.init) ?? "a signal"
        return [
            "member \(member.name) was asked to end and has ended with \(code): \(ending.errors.suffix(2_000))"
        ]
    }

    /// Compares what writers know with the states of all partitions, and adds what is found to the results; no member may be running.
    func judge(_ group: WriterGroup, addingTo outcome: inout some WriterOutcome) throws {
        let dead = try survey().dead
        let pages = try PassbookPages(of: try slices())
        let audit = Audit(group.writers, pages, terms)
        outcome.faults += (dead > 0 ? ["\(dead) dead letters"] : []) + audit.faults
        if audit.late == 0 { outcome.faults += try Audit.compare(pages, with: group.writers, terms) }
        outcome.late = audit.late
        outcome.entered = pages.count
        outcome.acknowledged = group.acknowledged
        outcome.broken = group.broken
        outcome.told = told
    }
}
