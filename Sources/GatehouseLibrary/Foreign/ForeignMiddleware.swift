// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// A plugin in another language as a middleware in the host's types; used in the drain.
final class ForeignMiddleware: MiddlewareProtocol {
    typealias InputActionType = AnyAction
    typealias OutputActionType = AnyAction
    typealias StateType = Slice

    /// Passes an action to the instance after the reducers; reused for each action, unless somebody keeps it.
    private final class Answer: IOBody {
        typealias OutputActionType = AnyAction

        /// The instance that receives the actions.
        private let instance: ForeignInstance
        /// The current action; nil between two.
        var action: AnyAction?

        /// Creates an answer without an action.
        init(_ instance: ForeignInstance) { self.instance = instance }

        func run(_ output: AnyActionHandler<AnyAction>) {
            // An answer that was kept and runs again has already passed its action.
            guard let action else { return }
            self.action = nil
            instance.runAfter(action)
        }
    }

    /// The instance that receives the actions.
    private let instance: ForeignInstance
    /// Passes an action to the instance after the reducers.
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
