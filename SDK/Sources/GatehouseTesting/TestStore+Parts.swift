// SPDX-License-Identifier: Apache-2.0

public import Gatehouse

extension TestStore where Action: Equatable, State: Equatable {
    /// Creates a test of the parts of a store.
    ///
    /// Pass `clock` to effects that wait, through the dependencies of the middleware.
    public convenience init<Middleware: MiddlewareProtocol<Action, Action, State>>(
        initialState: State, reducer: sending Reducer<Action, State> = .identity,
        middleware: sending Middleware, interceptors: sending [AnyInterceptor<Action, State>] = [],
        clock: ManualClock = ManualClock(), file: String = #fileID, line: UInt = #line
    ) {
        let inbox = TestInbox<Action, State>()
        let subject = TestSubject(
            StoreParts(
                initialState: initialState, reducer: reducer, middleware: middleware,
                interceptors: [.recorder { inbox.note($0, from: $1, leaving: $2) }] + interceptors),
            inbox: inbox, areSame: ==,
            differences: { $0 == $1 ? [] : TestSubject<Action, State>.differences($0, $1) })
        self.init(subject, clock: clock, inbox: inbox, at: TestPlace(file: file, line: line))
    }
}
