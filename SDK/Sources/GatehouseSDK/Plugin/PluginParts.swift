// SPDX-License-Identifier: Apache-2.0

/// The parts of one instance of a plugin, in the host's types.
public struct PluginParts {
    /// Its middlewares, in order, before injection.
    public let readers: [Reader]
    /// Its state, already initial; empty for a plugin without.
    public let slice: Slice
    /// Its decoded payloads, to share with other instances of the plugin in the same host.
    public let decoded: AnyObject
    /// Changes the slice; nil for a plugin without state.
    public let reducer: Reducer<AnyAction, Slice>?
    /// Gives its reducer the time of the action in hand.
    public let time: ActionTime
    /// Makes its interceptor from the host's services; nil for a plugin that lets every action pass.
    public let interceptor: ((HostServices) -> AnyInterceptor<AnyAction, Slice>)?

    /// A middleware in the host's types, before injection.
    public typealias Reader = MiddlewareReader<HostServices, AnyMiddleware<AnyAction, AnyAction, Slice>>

    /// Returns no readers; made here, because the storage of an array costs each image that makes it a search for
    /// conformances.
    @usableFromInline
    static func noReaders() -> [Reader] { [] }

    /// Adds a reader; here for the same reason.
    @usableFromInline
    static func add(_ reader: Reader, to readers: inout [Reader]) { readers.append(reader) }

    /// Creates parts as they are; see `PluginExports.makeParts(settings:decoded:report:)`.
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
