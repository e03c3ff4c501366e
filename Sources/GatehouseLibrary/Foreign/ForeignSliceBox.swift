// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Holds the state of a plugin in another language as JSON text; used only in the drain.
///
/// The text itself is in the port, where the plugin may read it from any thread.
final class ForeignSliceBox: SliceBox {
    /// The instance that owns the state.
    private let instance: ForeignInstance

    /// The state of an instance.
    init(_ instance: ForeignInstance) { self.instance = instance }

    /// Has the plugin change the state.
    func reduce(_ action: AnyAction) -> StateChange {
        guard let state = instance.reduce(action) else { return .unchanged }
        instance.port.state = state
        version &+= 1
        return .changed
    }

    override func encode() throws(CodingFailure) -> Value {
        do {
            return try JSONText.parse(instance.port.state ?? [])
        } catch {
            throw CodingFailure(error)
        }
    }

    override func restore(_ value: Value) throws(CodingFailure) {
        instance.port.state = Array(value.json().utf8)
        version &+= 1
    }

    override func adopt(_ other: SliceBox) -> Bool {
        // Another image may use another form.
        guard let other = other as? ForeignSliceBox, other.instance.plugin === instance.plugin else {
            return false
        }
        instance.port.state = other.instance.port.state
        version &+= 1
        return true
    }
}
