// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Synchronization

// The work in progress beside the drain.
extension ForeignPort {
    /// The maximum number of works in progress.
    private static let mostWorks = 10_000

    /// Cancels all work except that of one kind.
    func cancelWorks(except kind: Activity.Kind? = nil) {
        let works = content.withLock { content in
            let works = content.works.values.filter { $0.kind != kind }.sorted { $0.number < $1.number }
            for work in works { content.works[work.number] = nil }
            return works
        }
        for work in works { cancel(work) }
    }

    /// Begins work and cancels the one with the same token; returns 0 when it cannot begin.
    ///
    /// - Parameter effect: if given, the work belongs to the current action and is logged as effects are; in the drain only.
    func begin(_ token: [UInt8], as kind: Activity.Kind, _ effect: ForeignWork.Effect? = nil) -> UInt64 {
        let (number, replaced) = content.withLock { content -> (UInt64, ForeignWork?) in
            guard let output = content.output else { return (0, nil) }
            let replaced = content.takeWork(named: token)
            guard content.works.count < Self.mostWorks else { return (0, replaced) }
            content.lastWork += 1
            content.works[content.lastWork] = ForeignWork(
                number: content.lastWork, token: token, kind: kind, output: output, as: effect)
            return (content.lastWork, replaced)
        }
        if let replaced { cancel(replaced) }
        return number
    }

    /// Begins work that the plugin is called to perform after the actions that led to it are durable; 0 when it cannot begin.
    func beginWhenKept(_ token: [UInt8], as kind: Activity.Kind, memo: [UInt8]) -> UInt64 {
        let (output, services) = content.withLock { $0.isIn(.reduce) ? (nil, nil) : ($0.output, $0.services) }
        guard performs, let output, let services, let drain = output.sink.drain, drain.isCurrent else {
            return 0
        }
        let activity = output.sink.activity
        if case .stubbed = activity?.execution {
            activity?.countStubbed()
            return numberOfNothing()
        }
        var effect = ForeignWork.Effect(logged: nil)
        if let log = activity?.log {
            // It already ended in an earlier run.
            guard let logged = log.begin(kind, nil, within: nil) else { return numberOfNothing() }
            effect = ForeignWork.Effect(logged: logged)
        }
        let key = PluginContext(settings: (), services: services).effectKey
        let work = begin(token, as: kind, effect)
        guard work != 0 else {
            if let logged = effect.logged {
                activity?.log?.end(logged, isCancelled: true)
                activity?.log?.settle(logged, isLeft: false)
            }
            return 0
        }
        let waiting = WaitingWork(work, of: self) { [onKept] in onKept(work, Array((key ?? "").utf8), memo) }
        let turns = activity?.log as? any ForeignTurns
        let perform: @Sendable () -> Void = { [effect] in
            ForeignTurn.perform(effect.logged).take(turns) { waiting.perform() }
        }
        if case .held(let hold) = activity?.execution {
            hold.wait(perform)
        } else {
            drain.enqueue(perform)
        }
        return work
    }

    /// A number for work that has already ended.
    private func numberOfNothing() -> UInt64 {
        content.withLock { content in
            content.lastWork += 1
            return content.lastWork
        }
    }

    /// Ends work at the plugin's request.
    func end(_ number: UInt64) throws(ForeignRefusal) {
        guard let work = content.withLock({ $0.works.removeValue(forKey: number) }) else { throw .gone }
        work.end()
    }

    /// Cancels the work with a token.
    func cancel(_ token: [UInt8]) throws(ForeignRefusal) {
        guard let work = try change({ content in content.takeWork(named: token) }) else { throw .absent }
        cancel(work)
    }

    /// Whether work is in progress.
    func isRunning(_ work: UInt64) -> Bool { content.withLock { $0.works[work] != nil } }

    /// Cancels work that was removed from the table, and tells the plugin in a later turn of the drain.
    private func cancel(_ work: ForeignWork) {
        work.cancel()
        let number = work.number
        let onCancel = onCancel
        let turns = work.output.sink.activity?.log as? any ForeignTurns
        work.output.sink.drain?.enqueue { ForeignTurn.cancelled.take(turns) { onCancel(number) } }
    }
}
