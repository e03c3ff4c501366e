// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// A host for trying past actions, which collects their consequences.
///
/// Used from one thread.
final class ReplayedHost {
    /// The host; its instances have the state, and nothing was emitted.
    let host: Host
    /// The collected reports.
    let reports: PastReports
    /// The clock of the host.
    private let clock: PastClock
    /// The data folder of instances; removed with this object.
    private let folder: ScratchFolder
    /// The collected actions.
    private let record: Record
    /// Parses recorded actions.
    private var lines = RecordedLines()

    /// The current action's consequences; touched by the draining thread, which is the one that dispatches.
    private final class Record: Sendable {
        /// The progress of the current action.
        struct Content {
            /// The recorded consequences.
            var expected: [JournalRecord] = []
            /// The consequences now.
            var found: [FollowingAction] = []
            /// Whether actions are collected.
            var isOn = false
            /// Whether the current action itself is yet to be seen.
            var isRootNext = false
        }

        /// The host's clock; set once it exists.
        let clock = Mutex<PastClock?>(nil)
        /// The guarded content.
        let content = Mutex(Content())

        /// Records an action about to be processed, and sets the clock to when it was processed then.
        func take(_ dispatched: DispatchedAction<AnyAction>) {
            let moment = content.withLock { content -> Double? in
                guard content.isOn else { return nil }
                if content.isRootNext {
                    content.isRootNext = false
                    return nil
                }
                let place = content.found.count
                let type = dispatched.action.type.name
                content.found.append(
                    FollowingAction(
                        type: type, instance: dispatched.dispatcher.instance,
                        action: (try? dispatched.action.wireForm()) ?? ["type": .string(type)]))
                guard place < content.expected.count, content.expected[place].type == type else { return nil }
                return content.expected[place].time
            }
            if let moment { clock.withLock { $0 }?.now = moment }
        }
    }

    /// Creates a host that takes over from another one, as at a reload.
    ///
    /// - Throws: why it cannot take over.
    init(_ plan: HostPlan, at place: PastWalk.Place, images: ImageCache) throws(PastFailure) {
        let record = Record()
        let clock = PastClock()
        let reports = PastReports()
        folder = try PastFailure.scratchFolder()
        let reporter = Reporter { reports.add($0) }
        let assembler = Assembler(
            cache: images,
            dependencies: .past(at: clock, dataDirectory: folder.path) { reporter.send($0) })
        do throws(Diagnostics) {
            // It shares only the image cache with other hosts, which is used on this thread only: nothing reloads here.
            nonisolated(unsafe) let assembly = try assembler.assemble(
                plan, restoring: place.sequence == 0 && place.record == nil ? nil : place.state,
                leavingUnread: true)
            host = Host(unsafe assembly, starts: false, reports: reporter) { record.take($0) }
        } catch {
            throw .diagnostics(error)
        }
        record.clock.withLock { [clock] in $0 = clock }
        self.record = record
        self.clock = clock
        self.reports = reports
        host.turn { $0.startSilently() }
        reports.clear()
        // Recorded requests to reload do nothing now.
        host.onReload {}
    }

    /// Processes a past action with all its consequences; returns those.
    func dispatch(_ step: PastStep) -> [FollowingAction] {
        clock.now = step.root.moment
        if step.root.encodingFailure != nil { return reduce(step.consequences) }
        guard let action = lines.action(step.root.bytes) else { return [] }
        let source = ActionSource(
            file: step.root.file, function: "", line: step.root.line, info: step.root.instance)
        let changes = step.changesBefore.compactMap { replayed($0) }
        record.content.withLock {
            $0 = Record.Content(expected: step.consequences, isOn: true, isRootNext: true)
        }
        host.turn { turn in
            for change in changes { turn.replay(change) }
            turn.processPast(DispatchedAction(action, dispatcher: source))
        }
        // The consequences wait behind it.
        host.settle()
        return record.content.withLock { content in
            content.isOn = false
            return content.found
        }
    }

    /// Reduces past actions of unknown cause, and returns them unchanged.
    private func reduce(_ entries: [JournalRecord]) -> [FollowingAction] {
        let actions = entries.compactMap { replayed($0) }
        host.turn { turn in
            for action in actions { turn.replay(action) }
        }
        return entries.map(FollowingAction.init)
    }

    /// Prepares an action for the reducers; nil for one recorded without its payload.
    private func replayed(_ entry: JournalRecord) -> ReplayedAction? {
        guard entry.encodingFailure == nil, let action = lines.action(entry.bytes) else { return nil }
        var owner: String?
        if case .own = entry.cause { owner = entry.instance }
        return ReplayedAction(
            action: action, time: entry.moment, owner: owner, sequence: entry.sequence)
    }
}

extension FollowingAction {
    /// Takes an action from a journal entry.
    init(_ entry: JournalRecord) {
        self.init(
            sequence: entry.sequence, type: entry.type, instance: entry.instance, action: entry.action)
    }
}
