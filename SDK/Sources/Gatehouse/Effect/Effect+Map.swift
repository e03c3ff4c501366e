// SPDX-License-Identifier: Apache-2.0

extension Effect {
    /// Returns the same effect with each action transformed, in the drain; token, sources and timing stay.
    public func map<NewOutputAction: Sendable>(
        _ transform: @escaping (OutputAction) -> NewOutputAction
    ) -> Effect<Dependencies, NewOutputAction> {
        typealias New = Effect<Dependencies, NewOutputAction>
        switch work {
        case .nothing: return New(.nothing, like: self)
        case .emit(let action): return New(.emit(action.map(transform)), like: self)
        case .emitAll(let actions): return New(.emitAll(actions.map { $0.map(transform) }), like: self)
        case .make(let make):
            return New(
                .make { context in
                    make(EffectContext(base: context.base, dispatcher: context.dispatcher)).map(transform)
                }, like: self)
        case .cancel(let token): return New(.cancel(token), like: self)
        case .all(let parts, let last):
            return New(
                .all(parts.map { $0.map(transform) }, then: last.map { $0.map(transform) }), like: self)
        case .start(let body, let admits):
            return New(
                .start(
                    { context, output in
                        body(
                            EffectContext(base: context.base, dispatcher: context.dispatcher),
                            EffectOutput(mappingTo: output, transform))
                    }, if: admits), like: self, isBrief: isBrief)
        }
    }

    /// Does the work as part of a running effect, and ends it; called in the drain.
    func perform(
        _ context: EffectContext<Dependencies, OutputAction>, _ output: EffectOutput<OutputAction>
    ) {
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
        typealias New = Effect<T, OutputAction>
        switch work {
        case .nothing: return New(.nothing, like: self)
        case .emit(let action): return New(.emit(action), like: self)
        case .emitAll(let actions): return New(.emitAll(actions), like: self)
        case .make(let make):
            return New(
                .make { context in
                    let base = EffectBase<Void>(.fixed(()), registry: context.base.registry)
                    return make(EffectContext(base: base, dispatcher: context.dispatcher))
                }, like: self)
        case .cancel(let token): return New(.cancel(token), like: self)
        case .all(let parts, let last):
            return New(.all(parts.map { $0.ignoringDependencies() }, then: last), like: self)
        case .start(let body, let admits):
            return New(
                .start(
                    { context, output in
                        let base = EffectBase<Void>(.fixed(()), registry: context.base.registry)
                        body(EffectContext(base: base, dispatcher: context.dispatcher), output)
                    }, if: admits), like: self, isBrief: isBrief)
        }
    }
}
