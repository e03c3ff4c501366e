// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// A host on which actions of the past are tried, and what follows from them is collected.
///
/// Used from one thread.
final class ReplayedHost {
    /// The host; its instances know the state, and nothing was emitted.
    let host: Host
    /// What was reported.
    let reports: PastReports
    /// Says what time it is.
    private let clock: PastClock
    /// Where instances keep data; goes with this.
    private let folder: ScratchFolder
    /// What is collected.
    private let record: Record
    /// Reads recorded actions.
    private var lines = RecordedLines()

    /// What follows from the action in hand; touched by the thread that drains, which is the one that dispatches.
    private final class Record: Sendable {
        /// The clock, and what is known of the action in hand.
        struct Content {
            /// What followed then.
            var expected: [HistoryEntry] = []
            /// What follows now.
            var found: [FollowingAction] = []
            /// Whether anything is collected.
            var isOn = false
            /// Whether the action itself has not been seen.
            var isRootNext = false
        }

        /// The clock of the host; set once it is there.
        let clock = Mutex<PastClock?>(nil)
        /// All of it.
        let content = Mutex(Content())

        /// Takes note of an action that is about to be processed, and sets the clock to when it was processed then.
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
                return content.expected[place].toldTime
            }
            if let moment { clock.withLock { $0 }?.now = moment }
        }
    }

    /// A host that takes over where another one was, as at a reload.
    ///
    /// - Throws: what keeps it from that.
    init(_ plan: HostPlan, at place: PastWalk.Place, images: ImageCache) throws(PastFailure) {
        let record = Record()
        let clock = PastClock()
        let reports = PastReports()
        do throws(ChildFailure) { folder = try ScratchFolder() } catch { throw .child("\(error)") }
        let desk = ReportDesk { reports.add($0) }
        let assembler = Assembler(
            cache: images,
            dependencies: .past(at: clock, dataDirectory: folder.path) { desk.send($0) })
        do throws(Findings) {
            // What it shares with other hosts is the cache of images, which is used on this thread only: nothing reloads here.
            nonisolated(unsafe) let assembly = try assembler.assemble(
                plan, restoring: place.sequence == 0 && place.record == nil ? nil : place.state,
                leavingUnread: true)
            host = Host(lookingBack: unsafe assembly, reports: desk) { record.take($0) }
        } catch {
            throw .findings(error)
        }
        record.clock.withLock { [clock] in $0 = clock }
        self.record = record
        self.clock = clock
        self.reports = reports
        host.queue.withExclusiveAccess { [host] in host.generation.startSilently() }
        reports.clear()
        // A reload that was asked for then is none now.
        host.onReload {}
    }

    /// Processes an action of the past with all that follows from it, and gives that.
    func dispatch(_ step: PastStep) -> [FollowingAction] {
        clock.now = step.root.toldTime ?? step.root.time
        if step.root.misfit != nil { return reduce(step.consequences) }
        guard let action = lines.action(step.root.action) else { return [] }
        let source = ActionSource(
            file: step.root.file, function: "", line: step.root.line, info: step.root.instance)
        let changes = step.changesBefore.compactMap { replayed($0) }
        record.content.withLock {
            $0 = Record.Content(expected: step.consequences, isOn: true, isRootNext: true)
        }
        host.queue.withExclusiveAccess { [host] in
            for change in changes { host.generation.replay(change) }
            host.generation.processPast(DispatchedAction(action, dispatcher: source))
        }
        // What it has led to waits behind it.
        host.settle()
        return record.content.withLock { content in
            content.isOn = false
            return content.found
        }
    }

    /// Lets the reducers go over actions of the past whose cause nobody knows any more, and gives them as they were.
    private func reduce(_ entries: [HistoryEntry]) -> [FollowingAction] {
        let actions = entries.compactMap { replayed($0) }
        host.queue.withExclusiveAccess { [host] in
            for action in actions { host.generation.replay(action) }
        }
        return entries.map(FollowingAction.init)
    }

    /// An action for the reducers; nil for one that was written down without its payload.
    private func replayed(_ entry: HistoryEntry) -> Generation.Replayed? {
        guard entry.misfit == nil, let action = lines.action(entry.action) else { return nil }
        var owner: String?
        if case .own = entry.cause { owner = entry.instance }
        return Generation.Replayed(
            action: action, time: entry.toldTime ?? entry.time, owner: owner, sequence: entry.sequence)
    }
}

extension FollowingAction {
    /// What a journal tells of an action.
    init(_ entry: HistoryEntry) {
        self.init(
            sequence: entry.sequence, type: entry.type, instance: entry.instance,
            action: (try? JSONText.parse(entry.action)) ?? ["type": .string(entry.type)])
    }
}
