// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK

extension PluginExports {
    /// The exports that stand for a library in quarantine: nothing of it is loaded. The slice keeps its value, no reducer changes it,
    /// and the only middleware counts what it hears.
    package convenience init(_ standing: StandingInstance) {
        self.init(
            keepsState: standing.state != nil, intercepts: false,
            stateVersion: standing.state?.version ?? 1, migrate: nil
        ) { (_, _, _) throws(CodingFailure) in
            PluginParts(
                readers: [
                    PluginParts.Reader { services in
                        standing.clock = services.clock
                        return AnyMiddleware { action, _, _ in standing.miss(action) }
                    }
                ],
                slice: standing.state.map { Slice(StandingSliceBox($0.value)) } ?? Slice(),
                decoded: NothingDecoded(), reducer: nil, interceptor: nil)
        }
    }
}

/// What instances that stand share with others of their plugin.
private final class NothingDecoded {}

/// Holds a state as the library has left it that is in quarantine; touched only in the drain.
final class StandingSliceBox: SliceBox {
    /// The state.
    private var value: Value

    /// A state as it was left.
    init(_ value: Value) { self.value = value }

    override func encode() throws(CodingFailure) -> Value { value }

    override func restore(_ value: Value) throws(CodingFailure) {
        self.value = value
        version &+= 1
    }

    override func adopt(_ other: SliceBox) -> Bool {
        guard let other = other as? StandingSliceBox else { return false }
        value = other.value
        version &+= 1
        return true
    }
}
