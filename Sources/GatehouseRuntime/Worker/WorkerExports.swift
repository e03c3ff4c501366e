// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

extension PluginExports {
    /// The exports that stand for a plugin in a worker: what they hear, the worker does.
    convenience init(_ link: WorkerLink, _ instance: WorkerLink.Instance) {
        self.init(
            keepsState: instance.keepsState, intercepts: instance.intercepts,
            stateVersion: instance.stateVersion,
            migrate: { try link.restore(VersionedState(version: $1, value: $0)) }
        ) { (_, _, _) throws(CodingFailure) in
            PluginParts(
                readers: [
                    PluginParts.Reader { services in
                        link.unixTime = services.clock?.unixTime
                        return WorkerMiddleware(link).eraseToAnyMiddleware()
                    }
                ],
                slice: instance.keepsState ? Slice(link.box) : Slice(), decoded: link, reducer: nil,
                interceptor: nil)
        }
    }
}

/// Stands in the chain for the middlewares of an instance in a worker.
private final class WorkerMiddleware: MiddlewareProtocol {
    /// Leads to the worker.
    private let link: WorkerLink

    /// Stands for what is at the other end of a link.
    init(_ link: WorkerLink) { self.link = link }

    func handle(action: AnyAction, from dispatcher: ActionSource, state: GetState<Slice>) -> IO<AnyAction> {
        link.hear(action, from: dispatcher)
        return .pure()
    }

    func start(state: GetState<Slice>) -> IO<AnyAction> {
        link.start()
        return .pure()
    }

    func stopping(state: GetState<Slice>) -> IO<AnyAction> {
        link.order(.stopping)
        // The worker has its own copies until it lets go; the next instance may listen.
        link.listeners.giveBack()
        return .pure()
    }

    func gateChanged(to gate: GateState) { link.tell(gate) }

    func cancelEffects() { link.cancelEffects() }

    func stopEffects() { link.stopEffects() }
}

/// The state of an instance in a worker, as of its last checkpoint; touched only in the drain.
final class WorkerSliceBox: SliceBox {
    /// The state.
    private(set) var value = Value.null
    /// Has a state taken over where it is kept, and gives it as it is there.
    var onRestore: ((Value) throws(CodingFailure) -> Value)?

    /// Gives a copy of the state as it is after all that the worker was given so far.
    var onCopy: (() -> SliceCopy?)?

    override func encode() throws(CodingFailure) -> Value { value }

    override func copy() -> SliceCopy {
        if let copy = onCopy?() { return copy }
        let value = value
        return { () throws(CodingFailure) in value }
    }

    /// Takes note that the worker was given something that may change the state.
    func expectChange() { version &+= 1 }

    override func restore(_ value: Value) throws(CodingFailure) { take(try onRestore?(value) ?? value) }

    override func adopt(_ other: SliceBox) -> Bool { false }

    /// Takes the state of a checkpoint.
    func take(_ value: Value) {
        self.value = value
        version &+= 1
    }
}
