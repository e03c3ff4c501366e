// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Suas
import Testing

/// The example on the module's page about middlewares in front of a Gatehouse store.
@Suite(.timeLimit(.minutes(10)))
struct InterceptorPageTests {
    struct Increment: Action {}

    enum AppAction: Sendable {
        case increment
        case reset

        /// What the middlewares see of it.
        var counted: (any Action)? {
            switch self {
            case .increment: Increment()
            case .reset: nil
            }
        }
    }

    struct AppState: Sendable {
        var count = 0
    }

    @Test func `middlewares in front of a store see its actions and state through maps`() {
        let trace = Trace()
        let logger = LoggingMiddleware(output: { trace.add($0) })

        let guarding = (logger + AsyncMiddleware()).interceptor(
            action: { (action: AppAction) in action.counted },
            hostAction: { ($0 as? Increment).map { _ in .increment } },
            state: { (app: AppState) in ["Int": app.count] })

        let store = Gatehouse.Store(
            initialState: AppState(),
            reducer: .reduce { action, state in
                switch action {
                case .increment: state.count += 1
                case .reset: state.count = 0
                }
            },
            middleware: IdentityMiddleware<AppAction, AppAction, AppState>(),
            interceptors: [guarding])
        store.dispatch(.increment)
        #expect(
            trace.lines == [
                "The old state is Int: 0", "The action is Increment()", "The new state is Int: 1",
            ])
        store.dispatch(.reset)
        #expect(trace.lines.count == 3)
        #expect(store.state.count == 0)
    }
}
