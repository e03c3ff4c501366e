// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Lets an instance's outputs out under their global types, with the instance as their source.
///
/// `@unchecked Sendable` (inherited): what is added here is constant and touched only in `emit`; see `ActionSink`.
final class InstanceSink: ActionSink<AnyAction>, @unchecked Sendable {
    /// Takes what may be emitted.
    private let parent: ActionSink<AnyAction>
    /// Knows what may be emitted; kept alive by outputs that come late.
    private let instance: Instance

    /// A sink in front of another, in the same drain.
    init(parent: ActionSink<AnyAction>, instance: Instance) {
        self.parent = parent
        self.instance = instance
        super.init(drain: parent.drain, activity: parent.activity)
    }

    override func emit(_ action: DispatchedAction<AnyAction>) {
        if let lifted = instance.lifted(action) { parent.emit(lifted) }
    }
}
