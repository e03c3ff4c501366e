// SPDX-License-Identifier: Apache-2.0

import Suas
import Testing

struct ConnectedMiddlewareTests {
    /// Uses nothing but the properties.
    private final class Doubler: ConnectedMiddleware {
        var api: MiddlewareAPI?
        var next: NextFunction?

        func onAction(action: any Action) {
            guard case let add as Add = action else { return }
            next?(Add(add.amount * 2))
            if let api, api.state.number < 10 { api.dispatch(action: Add(5)) }
        }
    }

    /// Writes neither method.
    private final class Silent: ConnectedMiddleware {
        var api: MiddlewareAPI?
        var next: NextFunction?
    }

    @Test func `api and next are set before the action comes`() {
        let store = Suas.createStore(reducer: Number(), middleware: Doubler())
        store.dispatch(action: Add(1))
        #expect(store.state.number == 12)
    }

    @Test func `a connected middleware that writes no method lets actions pass`() {
        let trace = Trace()
        let store = Suas.createStore(
            reducer: Number(), middleware: Silent() + Probe(name: "behind", trace: trace))
        store.dispatch(action: Add(1))
        #expect(trace.lines == ["behind before +1 (0)", "behind after +1 (1)"])
    }
}
