// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// Images that are tried one after the other: in one child, and after each death the rest in another.
struct RehearsalGroup: Sendable {
    /// What became of them.
    struct Report: Sendable {
        /// Why instances are refused, by id.
        var refused: [String: Finding] = [:]
        /// Those of which nothing is wrong.
        var passed: [RehearsalAct] = []
        /// What kept the rest from being tried; nil for nothing.
        var obstacle: ChildFailure?
        /// Whether somebody asked to end.
        var isStopped = false
    }

    /// The host's own program.
    let program: String
    /// The images that one child rehearses, in order.
    let acts: [RehearsalAct]
    /// How long one step may take.
    let limit: Duration
    /// Ends the child when it becomes readable; nil for nothing.
    let stop: Int32?

    /// So many images go into one child: the Swift runtime looks through all that are loaded again and again.
    static let size = 256

    /// So many children that died may say where, which takes each a moment.
    private static let mostBacktraces = 3

    /// Tries them all; returns when the last child has ended.
    func perform() -> Report {
        var report = Report()
        var acts = acts
        var deaths = 0
        do throws(ChildFailure) {
            let scratch = try ScratchFolder()
            while !acts.isEmpty {
                let job = RehearsalJob(images: acts.map(\.image), dataDirectory: scratch.path)
                let child = try HostChild(
                    program, .rehearse, job: job.bytes, images: acts.compactMap(\.inherited),
                    tracesCalls: deaths < Self.mostBacktraces)
                let outcome = child.follow(HostChild.Limits(time: limit), stop: stop) {
                    RehearsalMessage(line: $0) != nil
                }
                report.isStopped = outcome.end == .stopped
                if report.isStopped { break }
                let account = RehearsalAccount(of: acts, outcome)
                report.passed += account.passed.map { acts[$0] }
                report.refused.merge(account.refused) { first, _ in first }
                guard account.blamed || outcome.end == .finished else {
                    throw ChildFailure("gatehouse rehearse", reason: outcome.end.text ?? "it did nothing")
                }
                acts = account.left
                deaths += 1
            }
        } catch {
            report.obstacle = error
        }
        return report
    }
}
