// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// The examples of the page about gated middlewares. The properties that its code generator would write are written here.
@Suite(.timeLimit(.minutes(10)))
struct GatedReadmeTests {
    enum AppAction: Sendable {
        case something
        case anotherSomething
        case dynamicMiddlewares(DynamicMiddlewareAction)

        var dynamicMiddlewares: DynamicMiddlewareAction? {
            if case .dynamicMiddlewares(let action) = self { action } else { nil }
        }
    }

    enum DynamicMiddlewareAction: Sendable, Equatable {
        case toggleCrashReportsMiddleware(Toggle)
        case controlCrashReportsMiddleware(controlAction: MiddlewareControlAction)

        /// A structure, because a tuple of one labelled value, as the page has it, does not exist.
        struct Toggle: Sendable, Equatable {
            let enable: Bool
        }

        var toggleCrashReportsMiddleware: Toggle? {
            if case .toggleCrashReportsMiddleware(let toggle) = self { toggle } else { nil }
        }

        var controlCrashReportsMiddleware: MiddlewareControlAction? {
            if case .controlCrashReportsMiddleware(let action) = self { action } else { nil }
        }
    }

    enum MiddlewareControlAction: Sendable, Equatable {
        case activate
        case bypass
        case sayHello
    }

    struct AppState: Sendable {
        var isCrashReportEnabled: Bool
    }

    /// Writes down what it hears.
    struct CrashReportsMiddleware: MiddlewareProtocol {
        let trace: Trace

        func handle(
            action: AppAction, from dispatcher: ActionSource, state: GetState<AppState>
        ) -> IO<AppAction> {
            switch action {
            case .something: trace.add("something")
            case .anotherSomething: trace.add("another something")
            case .dynamicMiddlewares(.toggleCrashReportsMiddleware(let toggle)):
                trace.add("enable \(toggle.enable)")
            case .dynamicMiddlewares(.controlCrashReportsMiddleware(let control)): trace.add("\(control)")
            }
            return .pure()
        }
    }

    /// What the middleware hears of some actions; `anotherSomething` turns the state off.
    private func heard<M: MiddlewareProtocol<AppAction, AppAction, AppState>>(
        by middleware: sending M, of actions: [AppAction], in trace: Trace
    ) -> [String] {
        let store = Store(
            initialState: AppState(isCrashReportEnabled: true),
            reducer: Reducer<AppAction, AppState>.reduce { action, state in
                if case .anotherSomething = action { state.isCrashReportEnabled = false }
            },
            middleware: middleware)
        for action in actions { store.dispatch(action) }
        return trace.lines
    }

    @Test func `gated by action, simple example`() {
        let trace = Trace()
        let gatedCrashReportsMiddleware =
            CrashReportsMiddleware(trace: trace)
            .gated(
                controlAction: \AppAction.dynamicMiddlewares?.toggleCrashReportsMiddleware?.enable,
                default: .active
            )
        let off = AppAction.dynamicMiddlewares(.toggleCrashReportsMiddleware(.init(enable: false)))
        let on = AppAction.dynamicMiddlewares(.toggleCrashReportsMiddleware(.init(enable: true)))
        #expect(
            heard(
                by: gatedCrashReportsMiddleware,
                of: [.something, off, .something, on, .anotherSomething], in: trace)
                == ["something", "enable false", "enable true", "another something"])
    }

    @Test func `gated by action, with custom comparison`() {
        let trace = Trace()
        let gatedCrashReportsMiddleware =
            CrashReportsMiddleware(trace: trace)
            .gated(
                controlAction: \AppAction.dynamicMiddlewares?.controlCrashReportsMiddleware,
                turnOn: MiddlewareControlAction.activate,
                turnOff: MiddlewareControlAction.bypass,
                default: .active
            )
        func control(_ action: MiddlewareControlAction) -> AppAction {
            .dynamicMiddlewares(.controlCrashReportsMiddleware(controlAction: action))
        }
        // Saying hello moves no gate, and reaches the middleware whatever the gate.
        #expect(
            heard(
                by: gatedCrashReportsMiddleware,
                of: [
                    control(.sayHello), .something, control(.bypass), control(.sayHello), .something,
                    control(.activate), .something,
                ], in: trace)
                == ["sayHello", "something", "bypass", "sayHello", "activate", "something"])
    }

    @Test func `gated by state, simple example`() {
        let trace = Trace()
        let gatedCrashReportsMiddleware =
            CrashReportsMiddleware(trace: trace)
            .gated(
                state: \AppState.isCrashReportEnabled
            )
        #expect(
            heard(
                by: gatedCrashReportsMiddleware, of: [.something, .anotherSomething, .something], in: trace)
                == ["something", "another something"])
    }
}
