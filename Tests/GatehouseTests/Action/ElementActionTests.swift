// SPDX-License-Identifier: Apache-2.0

import Foundation
import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ElementActionTests {
    @Test func `an action for an element by id is coded as id and action`() throws {
        let action = ElementIDAction(id: "a", action: 1)
        let data = try JSONEncoder().encode(action)
        #expect(try JSONDecoder().decode(ElementIDAction<String, Int>.self, from: data) == action)
        let text = Data(#"{"id":"b","action":2}"#.utf8)
        #expect(
            try JSONDecoder().decode(ElementIDAction<String, Int>.self, from: text)
                == ElementIDAction(id: "b", action: 2))
    }

    @Test func `an action for an element by index is coded as index and action`() throws {
        let text = Data(#"{"index":3,"action":2}"#.utf8)
        let action = try JSONDecoder().decode(ElementIndexAction<Int, Int>.self, from: text)
        #expect(action == ElementIndexAction(index: 3, action: 2))
        #expect(action != ElementIndexAction(index: 2, action: 2))
    }
}
