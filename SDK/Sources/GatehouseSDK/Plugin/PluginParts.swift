// SPDX-License-Identifier: Apache-2.0

/// What one instance of a plugin consists of, in the host's types.
public struct PluginParts {
    /// Its middlewares, in order, before anything is injected.
    public let readers: [Reader]
    /// Its state, already initial; empty for a plugin without.
    public let slice: Slice
    /// What its payloads are decoded to, to be shared with other instances of the plugin in the same host.
    public let decoded: AnyObject
    /// Changes the slice; nil for a plugin without state.
    public let reducer: Reducer<AnyAction, Slice>?
    /// Tells its reducer when the action in hand came.
    public let time: ActionTime
    /// Makes its interceptor from what the host provides; nil for a plugin that lets every action pass.
    public let interceptor: ((HostServices) -> AnyInterceptor<AnyAction, Slice>)?

    /// A middleware in the host's types, before anything is injected.
    public typealias Reader = MiddlewareReader<HostServices, AnyMiddleware<AnyAction, AnyAction, Slice>>

    /// No readers; made here, because the storage of an array costs each image that makes it a search for conformances.
    @usableFromInline
    static func noReaders() -> [Reader] { [] }

    /// Adds a reader, for the same reason here.
    @usableFromInline
    static func add(_ reader: Reader, to readers: inout [Reader]) { readers.append(reader) }

    /// Parts as they are; see `PluginExports.makeParts(settings:decoded:report:)`.
    public init(
        readers: [Reader], slice: Slice,
        decoded: AnyObject,
        reducer: Reducer<AnyAction, Slice>?, time: ActionTime = ActionTime(),
        interceptor: ((HostServices) -> AnyInterceptor<AnyAction, Slice>)?
    ) {
        self.readers = readers
        self.slice = slice
        self.decoded = decoded
        self.reducer = reducer
        self.time = time
        self.interceptor = interceptor
    }
}
