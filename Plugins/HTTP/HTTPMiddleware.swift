// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Opens the server when the instance starts, and releases it when the instance stops.
///
/// A server stays open while the gate is closed, so that clients can still look; changes are refused with a reason. It lives as
/// long as the instance, not as an effect, which a gate would cancel.
final class HTTPMiddleware: MiddlewareProtocol {
    /// The actions of the plugin.
    typealias Action = HTTP.Action

    /// The context of the instance.
    private let context: HTTP.Context
    /// The server; nil before the start, after the stop, and if nothing is granted.
    private var server: HTTPServer?
    /// Waits for open requests when the run ends.
    private lazy var effects = EffectMiddleware<Action, Action, HTTP.State, HTTP.Context>(
        dependencies: context,
        onAction: { _, _, _ in .doNothing },
        onStopping: { [unowned self] _, _ in
            guard let server, !server.finishIfIdle() else { return .doNothing }
            return .run { _ in await server.finish() }
        })

    /// Creates the middleware of an instance that has not started.
    init(_ context: HTTP.Context) { self.context = context }

    deinit { server?.stop() }

    func start(state: GetState<HTTP.State>) -> IO<Action> {
        let window = DeliveryWindow(state())
        return IO { [self] output in
            guard context.control != nil || context.ingress != nil else {
                return context.health(
                    .failing(
                        "it is granted neither \"ingress\" nor \"control\", so it serves nobody; list them in \"lift\"/\"dependencies\""
                    ))
            }
            do throws(ListeningFailure) {
                server = try HTTPServer(context, window) { output.dispatch($0) }
            } catch {
                context.health(.failing(error.sentence))
            }
        }
    }

    func handle(action: Action, from dispatcher: ActionSource, state: GetState<HTTP.State>) -> IO<Action> {
        .pure()
    }

    func stopping(state: GetState<HTTP.State>) -> IO<Action> {
        // Another instance may want the port at once, so stop accepting here and not in a task.
        server?.stopAccepting()
        return effects.stopping(state: state)
    }

    func gateChanged(to gate: GateState) { server?.router.gate = gate }

    func stopEffects() { effects.stopEffects() }

    func cancelEffects() {
        effects.cancelEffects()
        // A closed gate cancels too, but the server keeps accepting.
        if server?.isClosing == true { server.take()?.stop() }
    }
}
