// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import SeededTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ReducerBuilderTests {
    typealias Texts = Reducer<Int, String>

    /// A reducer that appends one letter.
    private func letter(_ letter: String) -> Texts { .reduce { $1 += letter } }

    /// What a reducer makes of an empty text.
    private func text(_ reducer: Texts) -> String {
        var state = ""
        reducer.reduce(1, &state)
        return state
    }

    @Test func `reducers run in written order`() {
        #expect(
            text(
                .compose {
                    letter("a")
                    letter("b")
                    Texts.identity
                    letter("c")
                }) == "abc")
    }

    @Test(arguments: [true, false])
    func `conditions and loops choose`(isOn: Bool) {
        let reducer = Texts.compose {
            if isOn { letter("a") }
            if isOn {
                letter("b")
            } else {
                letter("c")
            }
            for name in ["d", "e"] { letter(name) }
        }
        #expect(text(reducer) == (isOn ? "abde" : "cde"))
    }

    @Test func `an empty block changes nothing and says so`() {
        var state = "x"
        #expect(Texts.compose {}.apply(1, &state) == .unchanged)
        #expect(state == "x")
    }

    @Test func `a block behaves as its reducers joined`() {
        forAll { random in
            let parts = (0..<3).map { _ in
                let (factor, divisor) = (random.number(2...9), random.number(1...3))
                return Reducer<Int, Int>.reducing { action, state in
                    guard action % divisor == 0 else { return .unchanged }
                    state = state &* factor &+ action
                    return .changed
                }
            }
            let block = Reducer.compose {
                parts[0]
                parts[1]
                parts[2]
            }
            let joined = parts[0] <> parts[1] <> parts[2]
            let actions = random.numbers(0...9, upTo: 6)
            func run(_ reducer: Reducer<Int, Int>) -> [String] {
                var state = 1
                return actions.map { "\(reducer.apply($0, &state)) \(state)" }
            }
            return (run(block), run(joined))
        }
    }

    @Test
    func
        `as many reducers as one likes stand in a block, where a row of operators would not compile in time`()
    {
        let all = Texts.compose {
            letter("0,")
            letter("1,")
            letter("2,")
            letter("3,")
            letter("4,")
            letter("5,")
            letter("6,")
            letter("7,")
            letter("8,")
            letter("9,")
            letter("10,")
            letter("11,")
            letter("12,")
            letter("13,")
            letter("14,")
            letter("15,")
            letter("16,")
            letter("17,")
            letter("18,")
            letter("19,")
            letter("20,")
            letter("21,")
            letter("22,")
            letter("23,")
            letter("24,")
            letter("25,")
            letter("26,")
            letter("27,")
            letter("28,")
            letter("29,")
            letter("30,")
            letter("31,")
            letter("32,")
            letter("33,")
            letter("34,")
            letter("35,")
            letter("36,")
            letter("37,")
            letter("38,")
            letter("39,")
        }
        #expect(text(all) == (0..<40).map { "\($0)," }.joined())
    }
}
