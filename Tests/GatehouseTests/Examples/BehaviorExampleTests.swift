// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// The example of `Behavior`.
@Suite(.timeLimit(.minutes(10)))
struct BehaviorExampleTests {
    enum LampAction: Sendable, Equatable { case toggle, said(String) }
    struct Lamp: Sendable { var isOn = false }

    static var lamp: Behavior<LampAction, Lamp, Void> {
        .handle { action, lamp in
            switch action {
            case .toggle:
                .reduce { $0.isOn.toggle() }.produce { lamp, _ in .just(.said(lamp().isOn ? "on" : "off")) }
            case .said: .doNothing
            }
        }
    }

    @Test func `a lamp changes and says so`() {
        let trace = Trace()
        let store = Store(
            StoreParts(
                initialState: Lamp(),
                behavior: Self.lamp
                    <> Behavior(reducer: .identity) { action, _, _ in
                        trace.add("\(action)")
                        return .doNothing
                    }, dependencies: ()))
        store.dispatch(.toggle)
        store.dispatch(.toggle)
        #expect(trace.lines == ["toggle", #"said("on")"#, "toggle", #"said("off")"#])
    }
}
