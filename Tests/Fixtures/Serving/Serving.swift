// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseSDK
import Glibc
import Synchronization

/// Answers lines at a port, and emits each as an action.
struct Serving: Plugin {
    enum Action: PluginAction {
        /// Listens at a port of this machine, too.
        case listen(port: Int)
        /// Gives back all sockets.
        case giveBack
        /// Shuts them down, as no plugin does.
        case shutDown
        /// A client has sent this line.
        case line(String)
        /// Clients are served at the port from here on.
        case listening(port: Int)
        /// Nobody listens any more.
        case gone
        /// Why nobody is served.
        case refused(String)
    }

    struct Settings: PluginSettings {
        /// Where it listens from its start on, 0 for nowhere.
        var port = 0
        /// Whether it ends only when its clients have gone.
        var waits = false
    }

    static func middleware() -> Reader {
        MiddlewareReader { context in AnyMiddleware(Server(context)) }
    }

    /// Serves clients, each on a thread.
    private final class Server: MiddlewareProtocol {
        let context: Context
        /// What it has been lent.
        private var listeners: [BorrowedListener] = []
        /// Who is being served.
        private let clients = Clients()
        /// Waits for them at the end.
        private lazy var effects = EffectMiddleware<Action, Action, NoState, Context>(
            dependencies: context, onAction: { _, _, _ in .doNothing },
            onStopping: { [clients] _, context in
                guard context.settings.waits else { return .doNothing }
                return .run { _ in await clients.finish() }
            })

        init(_ context: Context) { self.context = context }

        deinit { giveBack() }

        func start(state: GetState<NoState>) -> IO<Action> {
            let port = context.settings.port
            return port == 0 ? .pure() : IO { [self] in listen(port, $0) }
        }

        func handle(action: Action, from dispatcher: ActionSource, state: GetState<NoState>) -> IO<Action> {
            switch action {
            case .listen(let port): return IO { [self] in listen(port, $0) }
            case .giveBack: giveBack()
            case .shutDown:
                for listener in listeners { shutdown(listener.descriptor, Int32(SHUT_RDWR)) }
                return IO { $0.dispatch(.gone) }
            case .line, .listening, .refused, .gone: break
            }
            return .pure()
        }

        func stopping(state: GetState<NoState>) -> IO<Action> {
            giveBack()
            return effects.stopping(state: state)
        }

        func stopEffects() { effects.stopEffects() }

        func cancelEffects() { effects.cancelEffects() }

        private func giveBack() {
            for listener in listeners { listener.giveBack() }
            listeners = []
        }

        /// Listens at a port, and serves who comes.
        private func listen(_ port: Int, _ output: AnyActionHandler<Action>) {
            do throws(ListeningFailure) {
                let listener = try context.listeners.listen(
                    at: .port(host: "127.0.0.1", UInt16(clamping: port)))
                listeners.append(listener)
                output.dispatch(.listening(port: port))
                Task.detached { [clients] in await Server.accept(from: listener, clients, output) }
            } catch {
                context.health(.failing(error.sentence))
                output.dispatch(.refused(error.sentence))
            }
        }

        /// Serves clients until the socket is given back or shut down.
        private static func accept(
            from listener: BorrowedListener, _ clients: Clients, _ output: AnyActionHandler<Action>
        ) async {
            do throws(ConnectionFailure) {
                while true {
                    let connection = try await listener.accept()
                    clients.come()
                    DispatchQueue(label: "client").async {
                        Server.serve(connection, output)
                        clients.go()
                    }
                }
            } catch {
                return
            }
        }

        /// Answers the lines of a client until it goes.
        private static func serve(_ connection: NetworkConnection, _ output: AnyActionHandler<Action>) {
            _ = fcntl(connection.descriptor, F_SETFL, 0)
            var waiting: [UInt8] = []
            var bytes = [UInt8](repeating: 0, count: 1_024)
            while true {
                let count = unsafe read(connection.descriptor, &bytes, bytes.count)
                guard count > 0 else { return }
                waiting += bytes[..<count]
                while let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: waiting[..<end], as: UTF8.self)
                    waiting.removeSubrange(...end)
                    output.dispatch(.line(line))
                    let answer = Array("\(getpid()) \(line)\n".utf8)
                    _ = unsafe send(connection.descriptor, answer, answer.count, Int32(MSG_NOSIGNAL))
                }
            }
        }
    }

    /// Counts clients, and tells when none is left.
    private final class Clients: Sendable {
        /// How many there are, and who waits until there are none.
        private let state = Mutex<(count: Int, waiting: CheckedContinuation<Void, Never>?)>((0, nil))

        /// Another one comes.
        func come() { state.withLock { $0.count += 1 } }

        /// One goes.
        func go() {
            let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
                state.count -= 1
                return state.count == 0 ? state.waiting.take() : nil
            }
            waiting?.resume()
        }

        /// Waits until none is left; called once.
        func finish() async {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.count > 0 { state.waiting = continuation }
                    return state.count == 0
                }
                if isOver { continuation.resume() }
            }
        }
    }
}
