// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ReaderBuilderTests {
    typealias Composed = MiddlewareReader<Trace, ComposedMiddleware<Int, Int, Int>>

    /// A reader that writes down when it is injected.
    private func reader(_ name: String) -> MiddlewareReader<Trace, Probe> {
        MiddlewareReader { trace in
            trace.add("inject \(name)")
            return Probe(name: name, trace: trace)
        }
    }

    @Test func `readers are injected in written order, each time, into one flat composition`() {
        let trace = Trace()
        let composed = Composed.compose {
            reader("a")
            reader("b").eraseMiddleware()
            Composed.compose {
                reader("c")
                reader("d")
            }
        }
        #expect(trace.lines == [], "nothing is made before injecting")
        #expect(composed.inject(trace).members.count == 4)
        #expect(trace.lines == ["inject a", "inject b", "inject c", "inject d"])
        _ = composed.inject(trace)
        #expect(trace.lines.count == 8)
    }

    @Test func `the types need not be written`() {
        let trace = Trace()
        let composed: Composed = .compose {
            reader("a")
            reader("b")
        }
        #expect(composed.inject(trace).members.count == 2)
    }

    @Test func `a middleware among readers is given as it is`() {
        let trace = Trace()
        let composed = Composed.compose {
            reader("a")
            Probe(name: "b", trace: trace)
            IdentityMiddleware<Int, Int, Int>()
        }
        #expect(composed.inject(trace).members.count == 2)
        _ = composed.inject(trace).handle(action: 1, from: .named("x"), state: GetState { 0 })
        #expect(trace.lines.suffix(2) == ["a handle 1 (0)", "b handle 1 (0)"])
    }

    @Test(arguments: [true, false])
    func `conditions and loops choose before anything is injected`(isOn: Bool) {
        let trace = Trace()
        let composed = Composed.compose {
            if isOn { reader("a") }
            if isOn { reader("b") } else { reader("c") }
            for name in ["d", "e"] { reader(name) }
        }
        _ = composed.inject(trace)
        #expect(
            trace.lines.map { String($0.suffix(1)) } == (isOn ? ["a", "b", "d", "e"] : ["c", "d", "e"]))
    }

    @Test func `an empty block gives the identity`() {
        #expect(Composed.compose {}.inject(Trace()).members.isEmpty)
    }

    @Test func `a block behaves as its readers joined`() {
        forAll { random in
            let plans = (0..<3).map { MiddlewarePlan.random(&random, name: ["a", "b", "c"][$0]) }
            let actions = (0..<random.number(1...4)).map { _ in random.number(0...7) }
            let readers = plans.map { plan in
                MiddlewareReader<Trace, AnyMiddleware<Int, Int, Int>> { trace in
                    trace.add("inject")
                    return plan.build(trace)
                }
            }
            let block = Composed.compose {
                readers[0]
                readers[1]
                readers[2]
            }
            let joined = readers[0] <> readers[1] <> readers[2]
            return (
                Observed.run(actions) { block.inject($0).eraseToAnyMiddleware() },
                Observed.run(actions) { joined.inject($0).eraseToAnyMiddleware() }
            )
        }
    }

    @Test
    func `as many readers as one likes stand in a block, where a row of operators would not compile in time`()
    {
        let trace = Trace()
        let composed = Composed.compose {
            reader("0")
            reader("1")
            reader("2")
            reader("3")
            reader("4")
            reader("5")
            reader("6")
            reader("7")
            reader("8")
            reader("9")
            reader("10")
            reader("11")
            reader("12")
            reader("13")
            reader("14")
            reader("15")
            reader("16")
            reader("17")
            reader("18")
            reader("19")
            reader("20")
            reader("21")
            reader("22")
            reader("23")
            reader("24")
            reader("25")
            reader("26")
            reader("27")
            reader("28")
            reader("29")
            reader("30")
            reader("31")
            reader("32")
            reader("33")
            reader("34")
            reader("35")
            reader("36")
            reader("37")
            reader("38")
            reader("39")
        }
        #expect(composed.inject(trace).members.count == 40)
        #expect(trace.lines == (0..<40).map { "inject \($0)" })
    }
}
