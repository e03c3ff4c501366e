// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK
private import Synchronization

/// Where instances that are granted `control` find it; they may ask before there is any, and wait until then.
package final class GrantedControl: Sendable {
    /// Does what they ask for.
    package protocol Target: Sendable {
        /// Does what a method asks for.
        func request(
            _ method: String, _ parameters: Value, from caller: ControlCaller
        ) async throws(HostControl.Failure) -> Value

        /// Begins to tell what passes a filter.
        func watch(_ parameters: Value) async throws(HostControl.Failure) -> HostNews
    }

    /// What is known of the host.
    private enum State {
        /// Nothing so far; these answers wait for it.
        case open(waiting: [PendingAnswer<(any Target)?>])
        /// Who does what they ask for; nil where nobody does, or nobody does any more.
        case settled((any Target)?)
    }

    /// How many requests of one instance the host has in hand at once.
    static let requestsAtOnce = 8

    /// What is known of the host, guarded by the lock.
    private let state = Mutex(State.open(waiting: []))

    /// Nobody does anything so far.
    package init() {}

    /// Lets a target answer from here on, those who wait first; nil for none that could.
    package func settle(_ target: (any Target)?) {
        let before = state.withLock { state in
            defer { state = .settled(target) }
            return state
        }
        guard case .open(let waiting) = before else { return }
        for one in waiting { one.finish(target) }
    }

    /// Whether it is known who answers.
    package var isSettled: Bool {
        state.withLock { if case .settled = $0 { true } else { false } }
    }

    /// Control for one instance.
    ///
    /// - Parameter objection: why it may change nothing, nil when it may; asked in the drain.
    package func control(
        for instance: String, objection: @escaping @Sendable () -> String?
    ) -> HostControl {
        let caller = ControlCaller(instance: instance, objection: objection)
        let turns = ControlTurns(atOnce: Self.requestsAtOnce)
        return HostControl { [self] method, parameters throws(HostControl.Failure) in
            try await unlessCancelled { [self] () throws(HostControl.Failure) in
                let target = try await target()
                return try await turns.take { () async throws(HostControl.Failure) in
                    try await target.request(method, parameters, from: caller)
                }
            }
        } watch: { [self] parameters throws(HostControl.Failure) in
            try await unlessCancelled { [self] () throws(HostControl.Failure) in
                try await target().watch(parameters)
            }
        }
    }

    /// Who answers, once that is known.
    private func target() async throws(HostControl.Failure) -> any Target {
        let pending = PendingAnswer<(any Target)?>()
        state.withLock { state in
            switch state {
            case .open(let waiting): state = .open(waiting: waiting + [pending])
            case .settled(let target): pending.finish(target)
            }
        }
        guard let target = await pending.value() else { throw Self.refusal("this host takes no requests") }
        return target
    }

    /// A failure without a more special code.
    private static func refusal(_ message: String) -> HostControl.Failure {
        HostControl.Failure(code: -32001, message: message)
    }

    /// Comes back at once when the task is cancelled; what was asked for goes on without it.
    private func unlessCancelled<Success: Sendable>(
        _ body: @escaping @Sendable () async throws(HostControl.Failure) -> Success
    ) async throws(HostControl.Failure) -> Success {
        guard !Task.isCancelled else {
            throw Self.refusal("the task that asks was cancelled, so nothing was done")
        }
        let answer = PendingAnswer<Result<Success, HostControl.Failure>>()
        // Begun under the handler, so that what cancels the task is told before what it asked for is done.
        let result = await withTaskCancellationHandler {
            Task.detached {
                do throws(HostControl.Failure) {
                    answer.finish(.success(try await body()))
                } catch {
                    answer.finish(.failure(error))
                }
            }
            return await answer.value()
        } onCancel: {
            answer.finish(
                .failure(
                    Self.refusal(
                        "the task that asked was cancelled; the request may still be carried out")))
        }
        return try result.get()
    }
}

/// Who asks for something that changes the host.
package struct ControlCaller: Sendable {
    /// The id of the instance; nil for a client of the control socket.
    package let instance: String?
    /// Why it may change nothing, nil when it may; asked in the drain.
    package let objection: @Sendable () -> String?

    /// A caller, with what is asked each time whether it may still call.
    package init(instance: String?, objection: @escaping @Sendable () -> String?) {
        self.instance = instance
        self.objection = objection
    }

    /// A client of the control socket, which may do everything.
    package static let client = ControlCaller(instance: nil) { nil }
}
