// SPDX-License-Identifier: Apache-2.0

extension PluginParts {
    /// Creates the parts of one instance of a plugin type.
    ///
    /// Each action is decoded once for all readers. The first middleware reports a payload that does not decode, once, while
    /// it handles the action, even if it does nothing. The interceptor reports nothing; such a payload passes it by.
    @inlinable
    init<P: Plugin>(
        of plugin: P.Type, settings: Value,
        interceptor: ((P.Context) -> AnyInterceptor<P.Action, P.State>)?, decoded: AnyObject?,
        report: @escaping (Misfit) -> Void
    ) throws(CodingFailure) {
        let settings = try Self.decodeSettings(settings, of: plugin)
        let box = TypedSliceBox(P.initialState(settings))
        let decoded = decoded as? DecodedPayload<P.Action> ?? DecodedPayload()
        let coding = ActionCoding<P.Action>(report: report, decoded: decoded)
        let keepsState = P.State.self != NoState.self
        let time = ActionTime()
        let logic = P.logic(settings, now: time)
        var readers = logic.readers
        if readers.isEmpty { readers.append(.doNothing()) }
        var lifted = Self.noReaders()
        for (index, reader) in readers.enumerated() {
            let reader =
                reader
                .contramapDependencies { (services: HostServices) in
                    P.Context(settings: settings, services: services)
                }
                .mapMiddleware { middleware in
                    if middleware.isIdentity { return Self.listener(coding, isReporting: index == 0) }
                    return AnyMiddleware(
                        PluginLift(
                            middleware, coding: coding, isReporting: index == 0, box: box))
                }
            Self.add(reader, to: &lifted)
        }
        self.init(
            readers: lifted,
            slice: keepsState ? Slice(box) : Slice(), decoded: decoded,
            reducer: keepsState ? box.lift(logic.reducer, coding) : nil,
            time: time,
            interceptor: interceptor.map { interceptor in
                { (services: HostServices) in
                    Self.lift(
                        interceptor(P.Context(settings: settings, services: services)), coding: coding,
                        box: box)
                }
            })
    }

    /// Replaces a middleware that does nothing: notices payloads that do not decode.
    @inlinable
    static func listener<Action: PluginAction>(
        _ coding: ActionCoding<Action>, isReporting: Bool
    ) -> AnyMiddleware<AnyAction, AnyAction, Slice> {
        AnyMiddleware { action, _, _ in
            _ = coding.decode(action, isReporting: isReporting)
            return .pure()
        }
    }

    /// Fits a plugin's interceptor to the host's types; reports and stops an action that it changes to one without a name.
    @inlinable
    static func lift<Action: PluginAction, State: Sendable>(
        _ part: AnyInterceptor<Action, State>, coding: ActionCoding<Action>, box: TypedSliceBox<State>
    ) -> AnyInterceptor<AnyAction, Slice> {
        if part.isIdentity { return .identity }
        let state = GetState { box.current }
        var states = OwnStateCache { (outer: OwnState<AnyAction, Slice>) in
            OwnState(state) { (own: DispatchedAction<Action>) in
                if let action = coding.written(own.action) {
                    outer.apply(DispatchedAction(action, dispatcher: own.dispatcher))
                }
            }
        }
        var outputs = SinkCache<Action, AnyAction> { parent in
            ActionSink(before: parent) { coding.emit($0, to: parent) }
        }
        return AnyInterceptor(
            concerns: { action in
                coding.decode(action, isReporting: false).map { part.concerns($0) } ?? false
            },
            enter: { way in
                guard let local = coding.decode(way.action, isReporting: false) else {
                    return way.onward.pass(nil)
                }
                let outer = way.onward
                part.enter(
                    Interception(
                        action: local, from: way.dispatcher, state: states(way.state),
                        output: outputs.handler(for: way.output),
                        // An action that cannot be encoded has no name.
                        onward: Onward(before: outer, late: { $0.flatMap { try? coding.encode($0) } }) {
                            changed in
                            guard let changed else { return outer.pass(nil) }
                            if let action = coding.written(changed) { outer.pass(action) }
                        }))
            },
            gateChanged: { part.gateChanged(to: $0) })
    }

    /// Merges the operator's object over the encoded defaults.
    @inlinable
    static func decodeSettings<P: Plugin>(
        _ settings: Value, of plugin: P.Type
    ) throws(CodingFailure) -> P.Settings {
        // A needless way through JSON costs a search for conformances, whose price grows with every image.
        if settings == .object(Members()) { return P.Settings() }
        return try CodingFailure.catching {
            var merged = try Value(encoding: P.Settings())
            merged.merge(settings)
            return try merged.decode(P.Settings.self)
        }
    }
}
