// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehousePlan

/// What no instance owns.
@Suite(.timeLimit(.minutes(10))) struct PlainStateTests {
    /// A place two objects deep.
    private let place = JSONPointer(tokens: ["deep", "down", "a"])
    /// What is known of a slice.
    private let slice = KeptSlice(plugin: "p", stateVersion: 2, instance: "a")

    @Test func `a place has again what it had, or nothing, and no object that was made on the way`() {
        let before = PlainState(plain: ["deep": ["b": 1]], kept: [:])
        var state = before
        state.plain.set(5, at: place)
        state.kept[place] = slice
        let changed = state
        state.restore(place, from: before)
        #expect(state == before)
        state.restore(place, from: changed)
        #expect(state == changed)
    }

    @Test func `what came beside it meanwhile stays`() {
        let before = PlainState(plain: [:], kept: [:])
        var state = PlainState(plain: ["deep": ["down": ["a": 5], "b": [:]]], kept: [place: slice])
        state.restore(place, from: before)
        #expect(state == PlainState(plain: ["deep": ["b": [:]]], kept: [:]))
    }

    @Test func `an empty object that was there is left`() {
        let before = PlainState(plain: ["deep": ["down": [:]]], kept: [:])
        var state = before
        state.plain.set(5, at: place)
        state.restore(place, from: before)
        #expect(state == before)
    }
}
