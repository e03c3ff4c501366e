// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseSDK
import Glibc

/// Holds a file and a port that only one can hold, from its start to its end.
struct Holding: Plugin {
    enum Action: PluginAction { case add(Int) }
    struct Settings: PluginSettings {
        var file = ""
        /// The port that is held, 0 for none.
        var port = 0
        var label = ""
        /// What it adds at its start, 0 for nothing.
        var first = 0
        /// What it adds at its end, by an effect that takes a moment; 0 for nothing.
        var last = 0
        /// Whether each number that is added begins an effect that never ends.
        var stays = false
    }
    struct State: Codable, Sendable { var sum = 0 }

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reduce { action, state in
            if case .add(let number) = action { state.sum &+= number }
        }
    }

    static func middleware() -> Reader {
        MiddlewareReader { context in AnyMiddleware(Holder(context: context)) }
    }

    /// Takes file and port and gives them back.
    private final class Holder: MiddlewareProtocol {
        let context: Context
        /// Listens at the port; negative for none.
        private var listener: Int32 = -1
        /// Stays with what is added, and adds something at the end.
        private lazy var effects = EffectMiddleware<Action, Action, State, Context>(
            dependencies: context,
            onAction: { _, _, context in
                guard context.settings.stays else { return .doNothing }
                return .start { _, output in output.onCancel { _ = output } }
            },
            onStopping: { _, context in
                let last = context.settings.last
                guard last != 0 else { return .doNothing }
                return .start { _, output in
                    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) {
                        output.send(.add(last))
                        output.finish()
                    }
                }
            })

        init(context: Context) { self.context = context }

        func start(state: GetState<State>) -> IO<Action> {
            if context.settings.port > 0 {
                listener = Self.listen(at: context.settings.port)
                if listener < 0 {
                    context.health(.failing("\(context.settings.label) cannot take its port"))
                }
            }
            if !context.settings.file.isEmpty { takeFile() }
            let first = context.settings.first
            return first == 0 ? .pure() : IO { $0.dispatch(.add(first)) }
        }

        private func takeFile() {
            let file = unsafe open(context.settings.file, O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if file < 0 {
                context.health(.failing("\(context.settings.label) cannot take its file"))
            } else {
                close(file)
            }
        }

        /// Listens at a port of this machine; gives the socket, negative when the port is taken.
        private static func listen(at port: Int) -> Int32 {
            let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            let bound = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(made, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if bound == 0, Glibc.listen(made, 16) == 0 { return made }
            close(made)
            return -1
        }

        func stopping(state: GetState<State>) -> IO<Action> {
            if listener >= 0 { close(listener) }
            listener = -1
            unsafe unlink(context.settings.file)
            return effects.stopping(state: state)
        }

        func stopEffects() { effects.stopEffects() }

        func cancelEffects() { effects.cancelEffects() }

        func handle(action: Action, from dispatcher: ActionSource, state: GetState<State>) -> IO<Action> {
            effects.handle(action: action, from: dispatcher, state: state)
        }
    }
}
