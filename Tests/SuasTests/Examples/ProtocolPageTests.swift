// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Suas
import Testing

/// The examples of the document that lists the protocols, adapted where they never compiled.
@Suite(.timeLimit(.minutes(10)))
struct ProtocolPageTests {
    /// The result of loading; its reducer keeps it.
    private struct DataLoadedAction: Action {
        let data: String
    }

    /// Loads on a queue of its own and consults the state there. The document reads an `api` that is not there.
    private struct MyDiskAsyncAction: AsyncAction {
        let done: DispatchSemaphore

        func execute(getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction) {
            DispatchQueue(label: "MyQueue").async {
                let currentState = getState()
                dispatch(
                    DataLoadedAction(data: "after \(currentState.value(forKeyOfType: String.self) ?? "none")")
                )
                done.signal()
            }
        }
    }

    private struct SomeAction: Action {}

    private struct RequestSucceeded: Action {
        let data: String
    }

    private struct RequestFailed: Action {
        let reason: String
    }

    /// Dispatches at once and again when the answer comes. The transfer is a closure in place of a network session.
    private struct MyURLAsyncAction: AsyncAction {
        typealias Answer = @Sendable (_ data: String?, _ error: String?) -> Void
        let transfer: @Sendable (@escaping Answer) -> Void

        func execute(getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction) {
            dispatch(SomeAction())
            transfer { data, error in
                if let data {
                    dispatch(RequestSucceeded(data: data))
                } else if let error {
                    dispatch(RequestFailed(reason: error))
                }
            }
        }
    }

    /// Implements the comparison by hand.
    private struct ManualState: SuasDynamicEquatable {
        let value: Int

        func isEqual(to other: Any) -> Bool {
            guard let other = other as? ManualState else { return false }
            return other.value == self.value
        }
    }

    /// Is comparable already; the extension below has nothing to write.
    fileprivate struct MyState: Equatable {
        let value: Int

        static func == (lhs: MyState, rhs: MyState) -> Bool { lhs.value == rhs.value }
    }

    /// Counts, and returns nil for actions of others.
    private struct MyReducer: Reducer {
        var initialState: Int = 1

        func reduce(state: Int, action: any Action) -> Int? {
            if action is SomeAction { return state + 1 }
            return nil
        }
    }

    private struct ButtonTappedAction: Action {}

    /// A store whose one entry is the text of the last action.
    private func textStore() -> Store {
        Suas.createStore(
            reducer: BlockReducer(initialState: "start") { _, action in
                switch action {
                case let loaded as DataLoadedAction: loaded.data
                case is SomeAction: "asking"
                case let answer as RequestSucceeded: "got \(answer.data)"
                case let answer as RequestFailed: "failed: \(answer.reason)"
                default: nil
                }
            },
            middleware: AsyncMiddleware())
    }

    @Test func `an async action loads from disk on another thread and dispatches the result`() {
        let store = textStore()
        let done = DispatchSemaphore(value: 0)
        store.dispatch(action: MyDiskAsyncAction(done: done))
        done.wait()
        #expect(store.state.value(forKeyOfType: String.self) == "after start")
    }

    @Test(
        arguments: [
            ("page", nil, "got page"), (nil, "no route", "failed: no route"),
        ] as [(String?, String?, String)])
    func `an async action asks the network and dispatches success or failure`(
        data: String?, error: String?, text: String
    ) {
        let store = textStore()
        let trace = Trace()
        store.addListener(forStateType: String.self) { trace.add($0) }
        store.dispatch(action: MyURLAsyncAction { answer in answer(data, error) })
        #expect(trace.lines == ["asking", text])
    }

    @Test func `dynamic equality is written by hand or comes with Equatable`() {
        #expect(ManualState(value: 1).isEqual(to: ManualState(value: 1)))
        #expect(!ManualState(value: 1).isEqual(to: ManualState(value: 2)))
        #expect(!ManualState(value: 1).isEqual(to: 1))
        #expect(MyState(value: 1).isEqual(to: MyState(value: 1)))
        #expect(!MyState(value: 1).isEqual(to: ManualState(value: 1)))
    }

    @Test func `a reducer returns the next state, or nil for actions of others`() {
        let trace = Trace()
        let store = Suas.createStore(reducer: MyReducer())
        store.addListener(forStateType: Int.self) { trace.add("\($0)") }
        store.dispatch(action: SomeAction())
        store.dispatch(action: ButtonTappedAction())
        #expect(trace.lines == ["2"])
    }

    @Test func `a plain structure is an action`() {
        let trace = Trace()
        let store = Suas.createStore(reducer: MyReducer())
        store.addActionListener { trace.add("\(type(of: $0))") }
        store.dispatch(action: ButtonTappedAction())
        #expect(trace.lines == ["ButtonTappedAction"])
    }

    @Test func `a middleware logs action, old state and new state`() {
        let trace = Trace()
        let store = Suas.createStore(
            reducer: Number(), middleware: LoggingMiddleware(output: { trace.add($0) }))
        store.dispatch(action: Add(1))
        #expect(
            trace.lines == ["The old state is Int: 0", "The action is +1", "The new state is Int: 1"])
    }
}

extension ProtocolPageTests.MyState: SuasDynamicEquatable {}
