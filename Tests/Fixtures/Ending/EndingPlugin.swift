// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Glibc

/// Works until the end of a run, or ends it in ways that it should not.
struct Ending: Plugin {
    /// What it hears and emits; see README.md.
    enum Action: PluginAction {
        case work
        case worked
        case stay
        case watch
        case watched
        case tick
        case beat
        case farewell
        case loop
        case trap
        case exit(status: Int32)
        case endThread
        case endOtherThread
        case endMainThread
        case keepMainThread
        case print(text: String)
        case child
        case fork
    }

    /// The work that waits for the farewell.
    private final class Desk {
        var outputs: [EffectOutput<Action>] = []

        func finish() {
            for output in outputs {
                output.send(.worked)
                output.finish()
            }
            outputs = []
        }
    }

    static func middleware() -> Reader {
        Reader { context in
            let desk = Desk()
            return AnyMiddleware(
                EffectMiddleware<Action, Action, NoState, Context>(dependencies: context) { action, _, _ in
                    answer(action, desk)
                } onStopping: { _, _ in
                    .just(.farewell)
                })
        }
    }

    /// What one action leads to.
    private static func answer(_ action: Action, _ desk: Desk) -> Effect<Context, Action> {
        switch action {
        case .work: return .start { _, output in desk.outputs.append(output) }.finishing
        case .stay: return .start { _, output in output.onCancel { _ = output } }.finishing
        case .watch:
            return .start { _, output in
                output.onStopping { $0.send(.watched) }
                output.onCancel { _ = output }
            }.inBackground
        case .tick: return .timer(every: .seconds(3_600)) { .watched }
        case .beat:
            return .start { _, output in
                output.send(.watched)
                output.onCancel { _ = output }
            }.inBackground
        case .farewell: return .fireAndForget { _ in desk.finish() }
        case .loop: while true {}
        case .trap: fatalError("asked to")
        case .exit(let status): Glibc.exit(status)
        case .endThread: pthread_exit(nil)
        case .endOtherThread: return .just(.endThread).delay(for: .milliseconds(50))
        case .endMainThread: return onMain { pthread_exit(nil) }
        case .keepMainThread: return onMain { while true { pause() } }
        case .print(let text): print(text, terminator: "")
        case .child: run(["/bin/sh", "-c", "echo from a child; kill -TERM $$; echo not reached"])
        case .fork: forkOne()
        case .worked, .watched: break
        }
        return .doNothing
    }

    /// An effect on the main actor.
    private static func onMain(_ body: @escaping @MainActor @Sendable () -> Void) -> Effect<Context, Action> {
        .task {
            await body()
            return nil
        }
    }

    /// Runs a program to its end.
    private static func run(_ words: [String]) {
        var vector = unsafe words.map { unsafe strdup($0) } + [nil]
        var child: pid_t = 0
        guard unsafe posix_spawn(&child, words[0], nil, nil, &vector, environ) == 0 else { return }
        _ = waitpid(child, nil, 0)
    }

    /// Forks a child that ends at once, as a library would that does its work in one.
    private static func forkOne() {
        typealias Fork = @convention(c) () -> pid_t
        guard let symbol = unsafe dlsym(nil, "fork") else { return }
        let child = unsafe unsafeBitCast(symbol, to: Fork.self)()
        if child == 0 { Glibc.exit(0) }
        _ = waitpid(child, nil, 0)
    }
}
