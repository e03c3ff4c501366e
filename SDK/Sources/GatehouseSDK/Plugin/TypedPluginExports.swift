// SPDX-License-Identifier: Apache-2.0

/// The exports of one plugin type.
///
/// Typed middlewares are lifted to the host's types with the same `lift` that everybody uses: decoding is the input map,
/// naming the output map, the slice the state map, the settings the dependencies map.
@usableFromInline
final class TypedPluginExports<P: Plugin>: PluginExports {
    @inlinable
    override init() { super.init() }

    @usableFromInline
    override func unknownNames(in names: [String]) -> [String] {
        CaseNames.unknown(in: names.filter { !$0.hasSuffix("*") }, for: P.Action.self)
    }

    @inlinable
    override func makeParts(
        settings: Value, report: @escaping (AnyAction, CodingFailure) -> Void
    ) throws(CodingFailure) -> PluginParts {
        let settings = try decodeSettings(settings)
        let slice = Slice(P.initialState(settings))
        let readers = P.middlewares()
        let reducerCoding = ActionCoding<P.Action>(report: report)
        let lifted = readers.map { reader in
            lift(reader, coding: ActionCoding(report: report), reducerCoding: reducerCoding, settings: settings)
        }
        return PluginParts(
            readers: lifted, slice: slice,
            reducer: slice.isEmpty ? nil : lift(P.reducer(settings), coding: reducerCoding))
    }

    /// The operator's object over the encoded defaults.
    @inlinable
    func decodeSettings(_ settings: Value) throws(CodingFailure) -> P.Settings {
        do {
            var merged = try Value(encoding: P.Settings())
            merged.merge(settings)
            return try merged.decode(P.Settings.self)
        } catch {
            throw CodingFailure(error)
        }
    }

    /// Each action is decoded by every middleware and the reducer, but a failure is told once: by the first middleware
    /// that decodes, which one that does nothing does not, or else by the reducer.
    @inlinable
    func lift(
        _ reader: MiddlewareReader<P.Context, AnyMiddleware<P.Action, P.Action, P.State>>,
        coding: ActionCoding<P.Action>, reducerCoding: ActionCoding<P.Action>, settings: P.Settings
    ) -> MiddlewareReader<HostServices, AnyMiddleware<AnyAction, AnyAction, Slice>> {
        reader
            .contramapDependencies { P.Context(settings: settings, services: $0) }
            .mapMiddleware { middleware in
                coding.reportsDecoding = reducerCoding.reportsDecoding && !middleware.isIdentity
                if coding.reportsDecoding { reducerCoding.reportsDecoding = false }
                return middleware.lift(
                    inputAction: coding.decode, outputAction: coding.encode, state: Self.state(of:))
            }
    }

    @inlinable
    func lift(
        _ reducer: Reducer<P.Action, P.State>, coding: ActionCoding<P.Action>
    ) -> Reducer<AnyAction, Slice> {
        Reducer { action, slice in
            guard let box = slice.box as? TypedSliceBox<P.State>, let local = coding.decode(action) else {
                return .unchanged
            }
            let change = reducer.apply(local, &box.state)
            if change == .changed { box.version &+= 1 }
            return change
        }
    }

    /// The plugin's state in its slice.
    @inlinable
    static func state(of slice: Slice) -> P.State {
        if let box = slice.box as? TypedSliceBox<P.State> { return box.state }
        if let none = NoState() as? P.State { return none }
        preconditionFailure("a slice of \(P.self) holds another plugin's state")
    }
}
