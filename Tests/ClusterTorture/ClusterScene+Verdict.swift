// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseHostTesting
internal import Glibc

extension ClusterScene {
    /// What is found after a torture.
    struct Verdict {
        /// Violations of the promises.
        var faults: [String]
        /// Unacknowledged numbers that came after higher ones.
        var late: Int
        /// The total of numbers in all states, including those that others led to.
        var entered: Int
    }

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

    /// Compares what writers know with the states of all partitions; no member may be running.
    func judge(_ group: WriterGroup) throws -> Verdict {
        let dead = try survey().dead
        let pages = try PassbookPages(of: try slices())
        let audit = Audit(group.writers, pages, terms)
        var faults = (dead > 0 ? ["\(dead) dead letters"] : []) + audit.faults
        if audit.late == 0 { faults += try Audit.compare(pages, with: group.writers, terms) }
        return Verdict(faults: faults, late: audit.late, entered: pages.count)
    }
}
