// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

struct ActionCauseTests {
    @Test(arguments: [ActionCause.Kind.unknown, .input, .output, .effect, .own])
    func `a cause keeps its kind beside any number`(_ kind: ActionCause.Kind) {
        for number in [0, 1, 1 << 29 - 1, 1 << 29, .max] as [UInt64] {
            let cause = ActionCause(kind, number)
            #expect(cause.kind == kind)
            #expect(cause.isInput == (kind == .input))
            #expect(cause.isUnknown == (kind == .unknown))
        }
        #expect(ActionCause.unknown == ActionCause(.unknown, 0))
    }

    @Test func `a cause finds its whole number for half a billion numbers after it`() {
        let number: UInt64 = 5 << 29 + 7
        let cause = ActionCause(.output, number)
        for latest in [number, number + 1, number + 1 << 29 - 1] {
            #expect(cause.number(notAbove: latest) == number)
        }
        #expect(cause.number(notAbove: number + 1 << 29) == number + 1 << 29)
        #expect(cause.number(notAbove: number - 1) == number - 1 << 29)
    }

    @Test func `a number that is 0, or that nothing has reached, is not known`() {
        #expect(ActionCause(.effect, 0).number(notAbove: 1 << 40) == nil)
        #expect(ActionCause(.input, 7).number(notAbove: 6) == nil)
        #expect(ActionCause(.input, 7).number(notAbove: 7) == 7)
        #expect(ActionCause(.input, 1).number(notAbove: 1) == 1)
    }
}
