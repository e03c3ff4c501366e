// SPDX-License-Identifier: Apache-2.0

/// A middleware's request for after the reducers: nothing, actions at once, or work that emits actions over time.
///
/// A description, as SwiftRex's effects are; nothing starts until the middleware runs it. Effects cannot fail: turn errors into
/// actions. Actions that an effect emits join the end of the store's queue and are never processed inside the emitting call.
///
/// An effect with a token replaces the running effect of the same middleware with the same token: the old one is cancelled,
/// then the other one starts. Anything that a cancelled effect emits is dropped. A finished effect is forgotten at once.
/// Effects in the background do not hold a run open. When a run is asked to end, effects are cancelled, except `finishing`
/// ones; each may emit one last action, see `EffectOutput.onStopping`.
///
/// ```swift
/// let fade: Effect<Void, LampAction> = .sequence(.dim(1), .dim(2))
/// return fade <> .just(.dim(3))
/// ```
@frozen
public struct Effect<Dependencies, OutputAction: Sendable> {
    /// The argument of an effect's functions: dependencies, and the way to cancel other effects.
    public typealias Context = EffectContext<Dependencies, OutputAction>

    /// The kinds of effects.
    @usableFromInline
    enum Work {
        /// Nothing to do.
        case nothing
        /// Emits one action at once, without a task.
        case emit(DispatchedAction<OutputAction>)
        /// Emits several actions, in order.
        case emitAll([DispatchedAction<OutputAction>])
        /// Emits one action, made when the effect is run.
        case make((Context) -> DispatchedAction<OutputAction>)
        /// Cancels the running effect with this token.
        case cancel(EffectToken)
        /// Starts other effects, and emits the actions when all of them have ended.
        case all([Effect], then: [DispatchedAction<OutputAction>])
        /// Does work that ends by finishing its output; the admission may drop it before it takes its token.
        case start((Context, EffectOutput<OutputAction>) -> Void, if: Admission? = nil)
    }

    /// Decides whether to start or drop an effect; called once, in the drain, with the executor that its work would prefer.
    @usableFromInline typealias Admission = (EffectRegistry, (any TaskExecutor)?) -> Bool

    /// The work to do.
    @usableFromInline let work: Work
    /// The name of the running effect; nil for one that cannot be cancelled by name, and for a join, whose parts have their own
    /// tokens.
    public let token: EffectToken?
    /// How the effect affects the run that it belongs to.
    public private(set) var kind = Activity.Kind.foreground
    /// What happens if it ends before its work is done; nil for the default of its plugin's manifest, or the host.
    public private(set) var recovery: EffectRecovery?
    /// Whether it is over once started, so that it never waits for others to end.
    var isBrief = false
    /// Whether running it does anything; stored, because asking `work` would copy it.
    public let doesSomething: Bool

    /// Creates a foreground effect.
    @inlinable
    init(_ work: Work, token: EffectToken? = nil, doesSomething: Bool = true) {
        self.work = work
        self.token = token
        self.doesSomething = doesSomething
    }

    /// Creates an effect with other work, but the token and kind of another effect.
    ///
    /// - Parameter isBrief: whether the work is over once it has been started.
    init<OtherDependencies, OtherAction>(
        _ work: Work, like other: Effect<OtherDependencies, OtherAction>, isBrief: Bool = false
    ) {
        self.init(work, token: other.token, doesSomething: other.doesSomething)
        kind = other.kind
        recovery = other.recovery
        self.isBrief = isBrief
    }

    /// The same effect, marked as over once it has been started.
    var brief: Effect {
        var effect = self
        effect.isBrief = true
        return effect
    }

    /// Returns the same effect, with its kind and recovery, under another name.
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

    /// The same effect, which continues when the run is asked to end; for promised work, such as a save.
    ///
    /// The owner waits for it as long as it has time, and then cancels it. In the background an effect finishes nothing.
    public var finishing: Effect {
        if let join = mapParts(\.finishing) { return join }
        var effect = self
        if kind == .foreground { effect.kind = .finishing }
        return effect
    }

    /// Returns the same effect with another recovery, for when it ends before its work is done.
    ///
    /// Unless an effect or its plugin's manifest says otherwise, an effect that holds a run open begins `again`, and a
    /// background effect is reported. This needs an action that started the effect: work that a plugin begins in `start` is
    /// never recovered. With `forget` it is not reported either when the end of a run cuts off the background effect.
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
    @inlinable
    public static func sequence(
        _ values: [OutputAction], file: String = #file, function: String = #function, line: UInt = #line,
        info: String? = nil
    ) -> Effect {
        sequence(values, from: ActionSource(file: file, function: function, line: line, info: info))
    }

    /// Emits several actions in order on behalf of another place.
    @inlinable
    public static func sequence(_ values: [OutputAction], from dispatcher: ActionSource) -> Effect {
        Effect(.emitAll(values.map { DispatchedAction($0, dispatcher: dispatcher) }))
    }

    /// Emits several actions in order on behalf of another place.
    @inlinable
    public static func sequence(_ values: OutputAction..., from dispatcher: ActionSource) -> Effect {
        sequence(values, from: dispatcher)
    }

    /// Emits several actions in order; they share one source, the place of this call unless given.
    @inlinable
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

    /// Cancels like `cancel`; named like `EffectContext.toCancel`.
    public static func toCancel(_ token: some Hashable & Sendable) -> Effect { cancel(token) }
}
