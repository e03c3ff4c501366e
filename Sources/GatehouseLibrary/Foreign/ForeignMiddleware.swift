// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// A plugin in another language as a middleware in the host's types; used in the drain.
final class ForeignMiddleware: MiddlewareProtocol {
    typealias InputActionType = AnyAction
    typealias OutputActionType = AnyAction
    typealias StateType = Slice

    /// Shows an action after the reducers; filled again for each action, unless somebody keeps it.
    private final class Answer: IOBody {
        typealias OutputActionType = AnyAction

        /// The instance to which actions are handed.
        private let instance: ForeignInstance
        /// The action in hand; nil between two.
        var action: AnyAction?

        /// An answer to no action yet.
        init(_ instance: ForeignInstance) { self.instance = instance }

        func run(_ output: AnyActionHandler<AnyAction>) {
            // What somebody kept and runs again has been shown already.
            guard let action else { return }
            self.action = nil
            instance.runAfter(action)
        }
    }

    /// The instance to which actions are handed.
    private let instance: ForeignInstance
    /// Shows an action after the reducers.
    private var answer: Answer

    /// A middleware of an instance.
    init(_ instance: ForeignInstance, _ services: HostServices) {
        self.instance = instance
        answer = Answer(instance)
        instance.port.provide(services)
    }

    func handle(
        action: AnyAction, from dispatcher: ActionSource, state: GetState<Slice>
    ) -> IO<AnyAction> {
        guard instance.handle(action) else { return .pure() }
        if !isKnownUniquelyReferenced(&answer) { answer = Answer(instance) }
        answer.action = action
        return IO(body: answer)
    }

    func start(state: GetState<Slice>) -> IO<AnyAction> { IO { [instance] in instance.start($0) } }

    func stopping(state: GetState<Slice>) -> IO<AnyAction> { IO { [instance] _ in instance.stop() } }

    func gateChanged(to gate: GateState) { instance.gateChanged(to: gate) }

    func cancelEffects() { instance.port.cancelWorks() }

    func stopEffects() { instance.port.cancelWorks(except: .finishing) }
}
