// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Observation
import Testing

/// The class page's view model: a projection that a view observes and sends its events to. Its effects are in
/// `EffectExamplesTests`.
@Suite(.timeLimit(.minutes(10)))
struct ClassPageTests {
    enum ViewEvent: Sendable {
        case buttonTapped
        case toggled(Bool)
        case onAppear
    }

    enum AppAction: Sendable, Equatable {
        case count
        case switchLights(on: Bool)
    }

    struct AppState: Sendable, Equatable {
        var count = 0
        var lights = false
    }

    struct ViewState: Sendable, Equatable {
        var text: String
    }

    private let store = Store(
        initialState: AppState(),
        reducer: Reducer<AppAction, AppState>.reduce { action, state in
            switch action {
            case .count: state.count += 1
            case .switchLights(let on): state.lights = on
            }
        })

    /// From the view's events to actions, from the program's state to the view's.
    private var viewModel: ObservableViewModel<ViewEvent, ViewState> {
        store.projection(
            action: { (event: ViewEvent) -> AppAction? in
                switch event {
                case .buttonTapped: .count
                case .toggled(let on): .switchLights(on: on)
                case .onAppear: nil
                }
            },
            state: { state in ViewState(text: "\(state.count)\(state.lights ? ", lit" : "")") }
        ).asObservableViewModel(initialState: ViewState(text: ""))
    }

    @Test func `a view model starts with the store's state and follows it`() {
        let viewModel = viewModel
        #expect(viewModel.state == ViewState(text: "0"))
        viewModel.dispatch(.buttonTapped)
        viewModel.dispatch(.toggled(true))
        #expect(viewModel.state == ViewState(text: "1, lit"))
        #expect(store.state == AppState(count: 1, lights: true))
    }

    @Test func `an event that maps to no action leaves the store alone`() {
        let viewModel = viewModel
        let trace = Trace()
        let subscription = store.observe { trace.add("\($0)") }
        viewModel.dispatch(.onAppear)
        #expect(trace.lines == [])
        withExtendedLifetime(subscription) {}
    }

    @Test func `whoever read the state is told before it changes`() {
        let viewModel = viewModel
        let trace = Trace()
        withObservationTracking {
            trace.add(viewModel.state.text)
        } onChange: {
            trace.add("about to change")
        }
        viewModel.dispatch(.buttonTapped)
        #expect(trace.lines == ["0", "about to change"])
    }
}
