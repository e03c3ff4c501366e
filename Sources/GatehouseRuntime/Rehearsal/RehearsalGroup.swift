// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// Images tried one after the other: in one child, and after each death the rest in another.
struct RehearsalGroup: Sendable {
    /// The outcome for the images.
    struct Report: Sendable {
        /// Why instances are refused, by id.
        var refused: [String: Diagnostic] = [:]
        /// The acts that passed.
        var passed: [RehearsalAct] = []
        /// Why the rest could not be tried; nil for nothing.
        var obstacle: ChildFailure?
        /// Whether the end was requested.
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

    /// The most images in one child: the Swift runtime searches all loaded images again and again.
    static let size = 256

    /// The most crashed children that write a backtrace, each of which takes a moment.
    private static let mostBacktraces = 3

    /// Tries all images; returns when the last child has ended.
    func perform() -> Report {
        var report = Report()
        var acts = acts
        var deaths = 0
        do throws(ChildFailure) {
            let scratch = try ScratchFolder()
            while !acts.isEmpty {
                let request = RehearsalRequest(images: acts.map(\.image), dataDirectory: scratch.path)
                let child = try HostChild(
                    program, .rehearse, request: request.bytes, images: acts.compactMap(\.inherited),
                    tracesCalls: deaths < Self.mostBacktraces)
                let outcome = child.follow(HostChild.Limits(time: limit), stop: stop) {
                    RehearsalEvent(line: $0) != nil
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
