// SPDX-License-Identifier: Apache-2.0

/// What a middleware wants done after the reducers: nothing, actions at once, or work that emits actions over time.
///
/// A description, as SwiftRex's effects are; nothing starts until the middleware runs it. Effects cannot fail: turn errors
/// into actions. What an effect emits joins the end of the store's queue and is never processed inside the emitting call.
///
/// An effect with a token replaces the running effect of the same middleware with the same token: the old one is
/// cancelled, then the other one starts. What a cancelled effect emits is dropped. A finished effect is forgotten at
/// once. Effects in the background do not hold a run open. When a run is asked to end, effects are cancelled, except those
/// that are `finishing`; each may emit one last action, see `EffectOutput.onStopping`.
public struct Effect<Dependencies, OutputAction: Sendable> {
    /// What the functions of an effect are given: dependencies, and the way to cancel others.
    public typealias Context = EffectContext<Dependencies, OutputAction>

    /// The kinds of effects.
    @usableFromInline
    enum Work {
        /// Nothing is to be done.
        case nothing
        /// One action is emitted at once, without a task.
        case emit(DispatchedAction<OutputAction>)
        /// Several actions, in order.
        case emitAll([DispatchedAction<OutputAction>])
        /// One action, made when the effect is run.
        case make((EffectContext<Dependencies, OutputAction>) -> DispatchedAction<OutputAction>)
        /// The effect that runs under this token is cancelled.
        case cancel(EffectToken)
        /// Others, and the actions to be emitted when all of them have ended.
        case all([Effect], then: [DispatchedAction<OutputAction>])
        /// Work that ends by finishing its output, or what the admission drops before it takes its token.
        case start(
            (EffectContext<Dependencies, OutputAction>, EffectOutput<OutputAction>) -> Void,
            if: Admission? = nil)
    }

    /// Whether an effect is started or dropped; asked once, in the drain. The task executor is what its work would prefer.
    @usableFromInline typealias Admission = (EffectRegistry, (any TaskExecutor)?) -> Bool

    /// What is to be done.
    @usableFromInline let work: Work
    /// Names the running effect, nil for one that cannot be cancelled by name, and for a join, whose parts have tokens of their own.
    public let token: EffectToken?
    /// What it means to the run that it belongs to.
    public private(set) var kind = Activity.Kind.foreground
    /// What becomes of it when it ends before it has done its work; nil for what its plugin's manifest says, or the host.
    public private(set) var recovery: EffectRecovery?
    /// Whether it is over when it has been started, so that it never waits for others to end.
    var isBrief = false
    /// Whether running it does anything; stored, because asking `work` would copy it.
    public let doesSomething: Bool

    /// Work that holds a run open.
    @inlinable
    init(_ work: Work, token: EffectToken? = nil, doesSomething: Bool = true) {
        self.work = work
        self.token = token
        self.doesSomething = doesSomething
    }

    /// Work in place of another effect's, with the same token and of the same kind.
    ///
    /// - Parameter isBrief: whether the work is over when it has been started.
    init<OtherDependencies, OtherAction>(
        _ work: Work, like other: Effect<OtherDependencies, OtherAction>, isBrief: Bool = false
    ) {
        self.init(work, token: other.token, doesSomething: other.doesSomething)
        kind = other.kind
        recovery = other.recovery
        self.isBrief = isBrief
    }

    /// The same effect, known to be over when it has been started.
    var brief: Effect {
        var effect = self
        effect.isBrief = true
        return effect
    }

    /// The model of work that takes a while: an effect's kind and recovery under another name.
    func named(_ token: EffectToken) -> Effect {
        var effect = Effect(work, token: token, doesSomething: doesSomething)
        effect.kind = kind
        effect.recovery = recovery
        return effect
    }

    /// The same effect, not holding a run open; for timers, servers and other work without an end.
    public var inBackground: Effect {
        if let join = mapParts(\.inBackground) { return join }
        var effect = self
        effect.kind = .background
        return effect
    }

    /// The same effect, which goes on when the run is asked to end; for what was promised, such as a save.
    ///
    /// The owner waits for it as long as it has time, and cancels it then. In the background an effect finishes nothing.
    public var finishing: Effect {
        if let join = mapParts(\.finishing) { return join }
        var effect = self
        if kind == .foreground { effect.kind = .finishing }
        return effect
    }

    /// The same effect, of which something else becomes when it ends before it has done its work.
    ///
    /// Unless an effect or its plugin's manifest says otherwise, what holds a run open begins `again`, and what is in the background is
    /// told. This needs an action that has started the effect: what a plugin begins in `start` is never recovered. With `forget` nobody is told
    /// either when the end of a run cuts off what is in the background.
    public func recovering(_ recovery: EffectRecovery) -> Effect {
        if let join = mapParts({ $0.recovering(recovery) }) { return join }
        var effect = self
        effect.recovery = recovery
        return effect
    }

    /// The effect that does nothing.
    @inlinable
    public static var doNothing: Effect { Effect(.nothing, doesSomething: false) }

    /// Emits one action, whose source is the place of this call.
    @inlinable
    public static func just(
        _ value: OutputAction, file: String = #file, function: String = #function, line: UInt = #line,
        info: String? = nil
    ) -> Effect {
        just(value, from: ActionSource(file: file, function: function, line: line, info: info))
    }

    /// Emits one action on behalf of another place.
    @inlinable
    public static func just(_ value: OutputAction, from dispatcher: ActionSource) -> Effect {
        Effect(.emit(DispatchedAction(value, dispatcher: dispatcher)))
    }

    /// Emits several actions in order; they share one source, the place of this call unless given.
    public static func sequence(
        _ values: [OutputAction], file: String = #file, function: String = #function, line: UInt = #line,
        info: String? = nil
    ) -> Effect {
        sequence(values, from: ActionSource(file: file, function: function, line: line, info: info))
    }

    /// Emits several actions in order on behalf of another place.
    public static func sequence(_ values: [OutputAction], from dispatcher: ActionSource) -> Effect {
        Effect(.emitAll(values.map { DispatchedAction($0, dispatcher: dispatcher) }))
    }

    /// Emits several actions in order on behalf of another place.
    public static func sequence(_ values: OutputAction..., from dispatcher: ActionSource) -> Effect {
        sequence(values, from: dispatcher)
    }

    /// Emits several actions in order; they share one source, the place of this call unless given.
    public static func sequence(
        _ values: OutputAction..., file: String = #file, function: String = #function, line: UInt = #line,
        info: String? = nil
    ) -> Effect {
        sequence(values, file: file, function: function, line: line, info: info)
    }

    /// Cancels the running effect of the same middleware with this token; an unknown token does nothing.
    public static func cancel(_ token: some Hashable & Sendable) -> Effect {
        Effect(.cancel(EffectToken(token)))
    }

    /// Cancels like `cancel`, by the name that a context uses.
    public static func toCancel(_ token: some Hashable & Sendable) -> Effect { cancel(token) }
}
