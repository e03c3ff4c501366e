// SPDX-License-Identifier: Apache-2.0

extension PluginParts {
    /// The parts of one instance of a plugin type.
    ///
    /// Typed middlewares are lifted to the host's types with the same `lift` that everybody uses: decoding is the input
    /// map, naming the output map, the slice the state map, the settings the dependencies map. Each action is decoded by
    /// every middleware and the reducer, but a payload that does not fit is told once: while the first middleware
    /// handles the action, also when that one does nothing. The interceptor is lifted likewise; what does not decode
    /// passes it by.
    @inlinable
    init<P: Plugin>(
        of plugin: P.Type, settings: Value,
        interceptor: ((P.Context) -> AnyInterceptor<P.Action, P.State>)?,
        report: @escaping (AnyAction, CodingFailure) -> Void
    ) throws(CodingFailure) {
        let settings = try Self.decodeSettings(settings, of: plugin)
        let box = TypedSliceBox(P.initialState(settings))
        var readers = P.middlewares()
        if readers.isEmpty { readers.append(.doNothing()) }
        let lifted = readers.enumerated().map { index, reader in
            let coding = ActionCoding<P.Action>(report: report, reportsDecoding: index == 0)
            return
                reader
                .contramapDependencies { (services: HostServices) in
                    P.Context(settings: settings, services: services)
                }
                .mapMiddleware { middleware in
                    if middleware.isIdentity { return Self.listener(coding) }
                    return middleware.lift(
                        inputAction: { (action: AnyAction) in coding.decode(action) },
                        outputAction: { coding.encode($0) },
                        state: { (_: Slice) in box.current })
                }
        }
        let reducer = P.reducer(settings)
        let coding = ActionCoding<P.Action>(report: report, reportsDecoding: false)
        let keepsState = P.State.self != NoState.self
        self.init(
            readers: lifted,
            slice: keepsState ? Slice(box) : Slice(),
            reducer: keepsState
                ? Reducer { (action: AnyAction, _: inout Slice) in
                    guard let local = coding.decode(action) else { return .unchanged }
                    return box.reduce(local, by: reducer)
                } : nil,
            interceptor: interceptor.map { interceptor in
                { (services: HostServices) in
                    interceptor(P.Context(settings: settings, services: services)).lift(
                        inputAction: { (action: AnyAction) in coding.decode(action) },
                        outputAction: { coding.encode($0) }, state: { (_: Slice) in box.current })
                }
            })
    }

    /// Stands for a middleware that does nothing: notices payloads that do not fit.
    @inlinable
    static func listener<Action: PluginAction>(
        _ coding: ActionCoding<Action>
    ) -> AnyMiddleware<AnyAction, AnyAction, Slice> {
        AnyMiddleware { action, _, _ in
            _ = coding.decode(action)
            return .pure()
        }
    }

    /// The operator's object over the encoded defaults.
    @inlinable
    static func decodeSettings<P: Plugin>(
        _ settings: Value, of plugin: P.Type
    ) throws(CodingFailure) -> P.Settings {
        do {
            // Going through JSON without need costs a search for conformances, whose price grows with every image.
            if settings == .object(Members()) { return P.Settings() }
            var merged = try Value(encoding: P.Settings())
            merged.merge(settings)
            return try merged.decode(P.Settings.self)
        } catch {
            throw CodingFailure(error)
        }
    }
}
