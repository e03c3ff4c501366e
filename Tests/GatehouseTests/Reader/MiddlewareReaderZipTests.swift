// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MiddlewareReaderZipTests {
    typealias Reader = MiddlewareReader<Trace, Probe>
    typealias Composed = ComposedMiddleware<Int, Int, Int>

    private let trace = Trace()

    /// A reader that writes down when it is injected.
    private func reader(_ name: String) -> Reader {
        Reader { trace in
            trace.add("inject \(name)")
            return Probe(name: name, trace: trace)
        }
    }

    /// Writes down the order in which the function is given the middlewares.
    private func join(_ probes: [Probe]) -> Composed {
        trace.add("map \(probes.map(\.name).joined())")
        return Composed(probes.map { $0.eraseToAnyMiddleware() })
    }

    @Test(arguments: 2...10)
    func `zip injects left to right, then maps once`(count: Int) {
        let names = "abcdefghij".prefix(count).map(String.init)
        let r = names.map(reader)
        let join = join
        let zipped: MiddlewareReader<Trace, Composed> =
            switch count {
            case 2: Reader.zip(r[0], r[1]) { join([$0, $1]) }
            case 3: Reader.zip(r[0], r[1], r[2]) { join([$0, $1, $2]) }
            case 4: Reader.zip(r[0], r[1], r[2], r[3]) { join([$0, $1, $2, $3]) }
            case 5: Reader.zip(r[0], r[1], r[2], r[3], r[4]) { join([$0, $1, $2, $3, $4]) }
            case 6: Reader.zip(r[0], r[1], r[2], r[3], r[4], r[5]) { join([$0, $1, $2, $3, $4, $5]) }
            case 7:
                Reader.zip(r[0], r[1], r[2], r[3], r[4], r[5], r[6]) { join([$0, $1, $2, $3, $4, $5, $6]) }
            case 8:
                Reader.zip(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]) {
                    join([$0, $1, $2, $3, $4, $5, $6, $7])
                }
            case 9:
                Reader.zip(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]) {
                    join([$0, $1, $2, $3, $4, $5, $6, $7, $8])
                }
            default:
                Reader.zip(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9]) {
                    join([$0, $1, $2, $3, $4, $5, $6, $7, $8, $9])
                }
            }
        #expect(trace.lines == [], "nothing happens before injecting")
        let middleware = zipped.inject(trace)
        #expect(trace.lines == names.map { "inject \($0)" } + ["map \(names.joined())"])
        #expect(middleware.members.count == count)
        _ = zipped.inject(trace)
        #expect(trace.lines.count == 2 * (count + 1), "each inject makes another one")
    }

    @Test func `zip takes readers of different middlewares and different reader types`() {
        let zipped = Reader.zip(
            reader("a"), OtherReader(inject: { Probe(name: "b", trace: $0).eraseToAnyMiddleware() }),
            Reader.identity as MiddlewareReader<Trace, IdentityMiddleware<Int, Int, Int>>
        ) { $0 <> $1 <> $2 }
        #expect(zipped.inject(trace).members.count == 2)
    }

    @Test func `zip takes any number of readers`() {
        let r = "abcdefghijkl".map { reader(String($0)) }
        let join = join
        let one = Reader.zip(r[0]) { join([$0]) }
        #expect(one.inject(trace).members.count == 1)
        let twelve = Reader.zip(
            r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11]
        ) { join([$0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11]) }
        #expect(twelve.inject(trace).members.count == 12)
        #expect(trace.lines.suffix(2) == ["inject l", "map abcdefghijkl"])
    }

    @Test func `dimap extracts, injects, then transforms`() {
        let trace = trace
        let mapped = reader("a").dimap(
            transformMiddleware: { probe in
                trace.add("transform \(probe.name)")
                return probe.eraseToAnyMiddleware()
            },
            extractOnlyDependenciesNeededForThisMiddleware: { (world: (trace: Trace, other: Int)) in
                trace.add("extract")
                return world.trace
            })
        _ = mapped.inject((trace, 1))
        #expect(trace.lines == ["extract", "inject a", "transform a"])
    }

    @Test func `flatMap injects, transforms, then injects the result, whose type it has`() {
        let trace = trace
        let flat: OtherReader = reader("a").flatMap { probe in
            trace.add("transform \(probe.name)")
            return OtherReader(inject: { trace in
                trace.add("inject other")
                return probe.eraseToAnyMiddleware()
            })
        }
        _ = flat.inject(trace)
        #expect(trace.lines == ["inject a", "transform a", "inject other"])
    }

    @available(*, deprecated)
    @Test func `the misspelt name of contramapDependencies still works`() {
        _ = reader("a").contramapDependecies { (world: (Trace, Int)) in world.0 }.inject((trace, 1))
        #expect(trace.lines == ["inject a"])
    }
}

/// A reader from outside of the library.
private struct OtherReader: MiddlewareReaderProtocol {
    let inject: (Trace) -> AnyMiddleware<Int, Int, Int>
}
