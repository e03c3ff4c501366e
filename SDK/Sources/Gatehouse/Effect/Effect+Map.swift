// SPDX-License-Identifier: Apache-2.0

extension Effect {
    /// Returns the same effect with each action transformed, in the drain; token, sources and timing stay.
    public func map<NewOutputAction: Sendable>(
        _ transform: @escaping (OutputAction) -> NewOutputAction
    ) -> Effect<Dependencies, NewOutputAction> {
        converted(
            context: { EffectContext(base: $0.base, dispatcher: $0.dispatcher) },
            output: { EffectOutput(mappingTo: $0, transform) }, action: transform)
    }

    /// Returns the same effect for other dependencies and actions.
    ///
    /// - Parameters:
    ///   - context: makes the context of this effect's work of that of the new one.
    ///   - output: likewise for the output.
    ///   - action: transforms each action that is known before.
    private func converted<NewDependencies, NewAction: Sendable>(
        context: @escaping (EffectContext<NewDependencies, NewAction>) -> Context,
        output: @escaping (EffectOutput<NewAction>) -> EffectOutput<OutputAction>,
        action: @escaping (OutputAction) -> NewAction
    ) -> Effect<NewDependencies, NewAction> {
        typealias New = Effect<NewDependencies, NewAction>
        switch work {
        case .nothing: return New(.nothing, like: self)
        case .emit(let emitted): return New(.emit(emitted.map(action)), like: self)
        case .emitAll(let emitted): return New(.emitAll(emitted.map { $0.map(action) }), like: self)
        case .make(let make): return New(.make { make(context($0)).map(action) }, like: self)
        case .cancel(let token): return New(.cancel(token), like: self)
        case .all(let parts, let last):
            let parts = parts.map { $0.converted(context: context, output: output, action: action) }
            return New(.all(parts, then: last.map { $0.map(action) }), like: self)
        case .start(let body, let admits):
            return New(.start({ body(context($0), output($1)) }, if: admits), like: self, isBrief: isBrief)
        }
    }

    /// Does the work as part of a running effect, and ends it; called in the drain.
    func perform(_ context: Context, _ output: EffectOutput<OutputAction>) {
        switch work {
        case .nothing: break
        case .emit(let action): output.send(action)
        case .emitAll(let actions): for action in actions { output.send(action) }
        case .make(let make): output.send(make(context))
        case .cancel(let token): context.base.registry.cancel(token)
        // Each part is an effect of its own, and may have the token of the one that ends here.
        case .all: return output.finish(before: self, context)
        case .start(let body, let admits):
            guard admits?(context.base.registry, output.executor) != false else { break }
            // Ends by itself.
            return body(context, output)
        }
        output.finish()
    }
}

extension Effect where Dependencies == Void {
    /// Returns the same effect for a middleware with any dependencies.
    public func ignoringDependencies<T>() -> Effect<T, OutputAction> {
        converted(
            context: {
                let base = EffectBase<Void>(.fixed(()), registry: $0.base.registry)
                return EffectContext(base: base, dispatcher: $0.dispatcher)
            }, output: { $0 }, action: { $0 })
    }
}
