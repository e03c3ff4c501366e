// SPDX-License-Identifier: Apache-2.0

import Suas
import Testing

/// What a middleware is given besides the parameters of `onAction`.
@Suite(.timeLimit(.minutes(10)))
struct MiddlewareTests {
    /// Uses nothing but the properties.
    private final class Doubler: Middleware {
        var api: MiddlewareAPI?
        var next: NextFunction?

        func onAction(
            action: any Action, getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction,
            next: @escaping NextFunction
        ) {
            guard case let add as Add = action else { return }
            self.next?(Add(add.amount * 2))
            if let api, api.state.number < 10 { api.dispatch(action: Add(5)) }
        }
    }

    /// A structure with the properties.
    private struct Copied: Middleware {
        var api: MiddlewareAPI?
        var next: NextFunction?
        let trace: Trace

        func onAction(
            action: any Action, getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction,
            next: @escaping NextFunction
        ) {
            self.next?(action)
            trace.add("\(api?.state.number ?? -1)")
        }
    }

    @Test func `api and next are set before the action comes`() {
        let store = Suas.createStore(reducer: Number(), middleware: Doubler())
        store.dispatch(action: Add(1))
        #expect(store.state.number == 12)
    }

    @Test func `a closure is a middleware`() {
        let trace = Trace()
        let noting = BlockMiddleware { action, getState, _, next in
            trace.add("before \(action): \(getState().number)")
            next(action)
            trace.add("after \(action): \(getState().number)")
        }
        let store = Suas.createStore(reducer: Number(), middleware: noting)
        store.dispatch(action: Add(2))
        #expect(trace.lines == ["before +2: 0", "after +2: 2"])
    }

    @Test func `a structure is called with api and next set`() {
        let trace = Trace()
        let store = Suas.createStore(reducer: Number(), middleware: Copied(trace: trace))
        store.dispatch(action: Add(4))
        #expect(trace.lines == ["4"])
    }

    @Test func `a middleware without the properties has none`() {
        #expect(AsyncMiddleware().api == nil)
        #expect(AsyncMiddleware().next == nil)
    }
}
