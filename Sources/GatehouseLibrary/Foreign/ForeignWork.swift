// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Synchronization

/// What an instance has begun and goes on beside the drain; callable from any thread.
///
/// It is in the table of its port until it is over; whoever takes it out of there calls `end` or `cancel`.
final class ForeignWork: Sendable {
    /// Names it; 0 names none.
    let number: UInt64
    /// The plugin's name for it; empty for none.
    let token: [UInt8]
    /// What it means to the run.
    let kind: Activity.Kind
    /// Takes what is emitted on its behalf, unless it is cancelled by then.
    let output: AnyActionHandler<AnyAction>
    /// Whether it was stopped from outside.
    private let isCancelled: CancelMark
    /// Its number in the log of effects; nil for work that is not in it.
    let logged: UInt64?

    /// That an action has started it, as it starts effects.
    struct Effect {
        /// Its number in the log; nil without a log.
        let logged: UInt64?
    }

    /// A mark that the output looks at.
    private final class CancelMark: Sendable {
        /// Whether it is set.
        let isSet = Atomic(false)
    }

    /// Work that counts from here on.
    ///
    /// - Parameter effect: where the action in hand starts it, as it starts effects, its number in the log, nil without a log; in the
    ///   drain only.
    init(
        number: UInt64, token: [UInt8], kind: Activity.Kind, output: AnyActionHandler<AnyAction>,
        as effect: Effect?
    ) {
        self.number = number
        self.token = token
        self.kind = kind
        let mark = CancelMark()
        isCancelled = mark
        let parent = output.sink
        let cause = effect == nil ? nil : parent.drain.map { $0.mark | Drain.effectMark }
        // Cancelling is looked at when the action is delivered, not when it is emitted.
        self.output = AnyActionHandler(
            ActionSink(before: parent) { action in
                guard !mark.isSet.load(ordering: .relaxed) else { return }
                guard let cause, let drain = parent.drain else { return parent.emit(action) }
                let inHand = drain.mark
                drain.mark = cause
                parent.emit(action)
                drain.mark = inHand
            })
        logged = effect?.logged
        parent.activity?.begin(kind)
    }

    /// Ends it; it is counted until everything that it emitted has been processed.
    func end(isCancelled: Bool = false) {
        if let logged { output.sink.activity?.log?.end(logged, isCancelled: isCancelled) }
        output.sink.activity?.end(kind, logged: logged, atRestOf: output.sink.drain)
    }

    /// Drops what it emits from here on, and ends it.
    func cancel() {
        isCancelled.isSet.store(true, ordering: .relaxed)
        end(isCancelled: true)
    }
}

/// Work that waits until what leads to it is kept; ends when nobody can have it done any more.
final class WaitingWork: Sendable {
    /// Names the work.
    private let number: UInt64
    /// Where it is known until it ends; the instance may go first.
    private weak let port: ForeignPort?
    /// Has the plugin do it; called in the drain.
    private let body: @Sendable () -> Void
    /// Whether the plugin was told to, and ends it.
    private let hasBegun = Atomic(false)

    /// Work of a port.
    init(_ number: UInt64, of port: ForeignPort, _ body: @escaping @Sendable () -> Void) {
        self.number = number
        self.port = port
        self.body = body
    }

    deinit {
        if !hasBegun.load(ordering: .relaxed) { _ = port?.end(number) }
    }

    /// Has the plugin do it, unless it was cancelled; called in the drain, once.
    func perform() {
        hasBegun.store(true, ordering: .relaxed)
        if port?.isRunning(number) == true { body() }
    }
}
