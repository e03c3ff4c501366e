// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// The examples of the page about middleware readers: how the four maps of a lift are usually written.
@Suite(.timeLimit(.minutes(10)))
struct ReaderPageTests {
    enum LocalAction: Sendable, Equatable {
        case ask
        case answer(String)
    }

    enum AppAction: Sendable, Equatable {
        case someLocalCase(LocalAction)
        case other

        var someLocalCase: LocalAction? {
            if case .someLocalCase(let action) = self { action } else { nil }
        }
    }

    struct AppState {
        var someProperty: Int
    }

    struct World {
        var urlSession: String
        var jsonDecoder: String
        var unrelated = 0
    }

    typealias Dependencies = (urlSession: String, decoder: String)
    typealias Asking = AnyMiddleware<LocalAction, LocalAction, Int>

    /// Answers by what it was given; ignores its own answers.
    private var reader: MiddlewareReader<Dependencies, Asking> {
        MiddlewareReader { dependencies in
            AnyMiddleware { action, dispatcher, state in
                guard action == .ask else { return .pure() }
                return IO { output in
                    let text = "\(dependencies.urlSession)+\(dependencies.decoder) at \(state())"
                    output.dispatch(.answer(text), from: dispatcher)
                }
            }
        }
    }

    private let world = World(urlSession: "session", jsonDecoder: "decoder")

    /// What a lifted middleware answers to one action.
    private func answers<M: MiddlewareProtocol<AppAction, AppAction, AppState>>(
        of middleware: M, to action: AppAction
    ) -> [String] {
        let trace = Trace()
        middleware.handle(
            action: action, from: .here(), state: GetState { AppState(someProperty: 7) }
        ).run { trace.add("\($0.action.someLocalCase.map { "\($0)" } ?? "nothing local")") }
        return trace.lines
    }

    @Test func `the maps of a lift written as closures`() {
        let lifted: MiddlewareReader<World, LiftMiddleware<AppAction, AppAction, AppState, Asking>> =
            reader.lift(
                inputAction: { globalAction in
                    guard case AppAction.someLocalCase(let localAction) = globalAction else { return nil }
                    return localAction
                },
                outputAction: { actionFromMiddleware in
                    return AppAction.someLocalCase(actionFromMiddleware)
                },
                state: { globalState in
                    return globalState.someProperty
                },
                dependencies: { (world: World) in
                    return (urlSession: world.urlSession, decoder: world.jsonDecoder)
                })
        #expect(
            answers(of: lifted.inject(world), to: .someLocalCase(.ask))
                == [#"answer("session+decoder at 7")"#])
        #expect(answers(of: lifted.inject(world), to: .other) == [])
    }

    @Test func `the maps of a lift written as key paths and a case`() {
        let lifted = reader.lift(
            inputAction: \AppAction.someLocalCase, outputAction: AppAction.someLocalCase,
            state: \AppState.someProperty,
            dependencies: { (world: World) in (urlSession: world.urlSession, decoder: world.jsonDecoder) })
        #expect(
            answers(of: lifted.inject(world), to: .someLocalCase(.ask))
                == [#"answer("session+decoder at 7")"#])
        #expect(answers(of: lifted.inject(world), to: .other) == [])
    }

    @Test func `readers of totally different middlewares compose once they are lifted`() {
        let other = MiddlewareReader<Int, AnyMiddleware<AppAction, AppAction, Void>> { number in
            AnyMiddleware { _, dispatcher, _ in
                IO { $0.dispatch(.someLocalCase(.answer("\(number)")), from: dispatcher) }
            }
        }
        let composed =
            reader.lift(
                inputAction: \AppAction.someLocalCase, outputAction: AppAction.someLocalCase,
                state: \AppState.someProperty,
                dependencies: { (world: World) in
                    (urlSession: world.urlSession, decoder: world.jsonDecoder)
                })
            <> other.lift(
                state: { (_: AppState) in }, dependencies: { (world: World) in world.unrelated + 3 })
        #expect(
            answers(of: composed.inject(world), to: .someLocalCase(.ask))
                == [#"answer("3")"#, #"answer("session+decoder at 7")"#])
    }

    @Test func `composing with the identity reader changes nothing, in either order`() {
        let left = MiddlewareReader<Dependencies, Asking>.identity <> reader
        let right = reader <> MiddlewareReader<Dependencies, Asking>.identity
        for composed in [left, right] {
            let trace = Trace()
            composed.inject((urlSession: "s", decoder: "d"))
                .handle(action: .ask, from: .here(), state: GetState { 1 })
                .run { trace.add("\($0.action)") }
            #expect(trace.lines == [#"answer("s+d at 1")"#])
        }
    }
}
