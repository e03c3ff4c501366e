// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ReaderMapLawTests {
    typealias Middleware = AnyMiddleware<Int, Int, Int>
    /// Readers of what the plans say; the dependency tells where the middlewares write, and a number they mix in.
    typealias Erased = MiddlewareReader<World, Middleware>

    /// The dependencies that are injected.
    struct World {
        let trace: Trace
        let number: Int

        /// Writes the step down and changes the number.
        func step(_ name: String, _ change: (Int) -> Int) -> World {
            trace.add("\(name) of \(number)")
            return World(trace: trace, number: change(number))
        }
    }

    /// Compares two readers made from random ones, by everything that injecting and running them does.
    private func forAllReaders(
        _ count: Int, _ one: @escaping ([Erased]) -> Erased, equals other: @escaping ([Erased]) -> Erased
    ) {
        forAll { random in
            let plans = (0..<count).map { MiddlewarePlan.random(&random, name: ["a", "b", "c"][$0]) }
            let actions = (0..<random.number(1...4)).map { _ in random.number(0...7) }
            let readers = plans.map { plan in
                Erased { world in
                    world.trace.add("inject \(plan) with \(world.number)")
                    return plan.build(world.trace)
                }
            }
            let number = random.number(0...9)
            return (
                Observed.run(actions) { one(readers).inject(World(trace: $0, number: number)) },
                Observed.run(actions) { other(readers).inject(World(trace: $0, number: number)) }
            )
        }
    }

    /// Two transformations that do not commute.
    private static func louder(_ middleware: Middleware) -> Middleware {
        middleware.lift(outputAction: { $0 / 2 })
    }

    /// The second of two maps of a middleware.
    private static func later(_ middleware: Middleware) -> Middleware {
        middleware.lift(inputAction: { (action: Int) in action > 1 ? action - 1 : nil })
    }

    /// Two extractions that do not commute.
    private static func halved(_ world: World) -> World { world.step("halved") { $0 / 2 } }

    /// The second of two maps of the dependencies.
    private static func raised(_ world: World) -> World { world.step("raised") { $0 + 1 } }

    /// Steps from a middleware to a reader, for the monad laws.
    private static func then(_ name: String, _ reader: Erased) -> (Middleware) -> Erased {
        { middleware in
            Erased { world in
                world.trace.add("\(name) with \(world.number)")
                return (middleware <> reader.inject(world)).eraseToAnyMiddleware()
            }
        }
    }

    @Test func `mapping by the identity function changes nothing`() {
        forAllReaders(1) {
            $0[0].mapMiddleware { $0 }
        } equals: {
            $0[0]
        }
    }

    @Test func `mapping twice equals mapping by the composed function`() {
        forAllReaders(1) {
            $0[0].mapMiddleware(Self.louder).mapMiddleware(Self.later)
        } equals: {
            $0[0].mapMiddleware { Self.later(Self.louder($0)) }
        }
    }

    @Test func `extracting the whole world changes nothing`() {
        forAllReaders(1) {
            $0[0].contramapDependencies { $0 }
        } equals: {
            $0[0]
        }
    }

    @Test func `extracting twice equals extracting by the composed function, the outer one first`() {
        forAllReaders(1) {
            $0[0].contramapDependencies(Self.halved).contramapDependencies(Self.raised)
        } equals: {
            $0[0].contramapDependencies { Self.halved(Self.raised($0)) }
        }
    }

    @Test func `dimap by identity functions changes nothing`() {
        forAllReaders(1) {
            $0[0].dimap(
                transformMiddleware: { $0 }, extractOnlyDependenciesNeededForThisMiddleware: { $0 })
        } equals: {
            $0[0]
        }
    }

    @Test func `dimap equals extracting and mapping, in either order`() {
        forAllReaders(1) {
            $0[0].dimap(
                transformMiddleware: Self.louder, extractOnlyDependenciesNeededForThisMiddleware: Self.halved)
        } equals: {
            $0[0].mapMiddleware(Self.louder).contramapDependencies(Self.halved)
        }
        forAllReaders(1) {
            $0[0].dimap(
                transformMiddleware: Self.louder, extractOnlyDependenciesNeededForThisMiddleware: Self.halved)
        } equals: {
            $0[0].contramapDependencies(Self.halved).mapMiddleware(Self.louder)
        }
    }

    @Test func `dimap twice equals dimap by the composed functions`() {
        forAllReaders(1) {
            $0[0].dimap(
                transformMiddleware: Self.louder, extractOnlyDependenciesNeededForThisMiddleware: Self.halved
            ).dimap(
                transformMiddleware: Self.later, extractOnlyDependenciesNeededForThisMiddleware: Self.raised)
        } equals: {
            $0[0].dimap(
                transformMiddleware: { Self.later(Self.louder($0)) },
                extractOnlyDependenciesNeededForThisMiddleware: { Self.halved(Self.raised($0)) })
        }
    }

    @Test func `flatMap of pure is the transformed reader`() {
        let plan = MiddlewarePlan.probe(name: "p", above: 1, steps: [1])
        forAllReaders(1) { readers in
            Erased { world in
                Erased.pure(plan.build(world.trace)).flatMap(Self.then("f", readers[0])).inject(world)
            }
        } equals: { readers in
            Erased { world in Self.then("f", readers[0])(plan.build(world.trace)).inject(world) }
        }
    }

    @Test func `flatMap to pure changes nothing`() {
        forAllReaders(1) {
            $0[0].flatMap { Erased.pure($0) }
        } equals: {
            $0[0]
        }
    }

    @Test func `flatMap is associative`() {
        forAllReaders(3) {
            $0[0].flatMap(Self.then("f", $0[1])).flatMap(Self.then("g", $0[2]))
        } equals: { readers in
            readers[0].flatMap { Self.then("f", readers[1])($0).flatMap(Self.then("g", readers[2])) }
        }
    }

    @Test func `mapping equals flatMap to pure of the mapped`() {
        forAllReaders(1) {
            $0[0].mapMiddleware(Self.louder)
        } equals: {
            $0[0].flatMap { Erased.pure(Self.louder($0)) }
        }
    }

    @Test func `zip with composition equals composing`() {
        forAllReaders(2) {
            Erased.zip($0[0], $0[1]) { ($0 <> $1).eraseToAnyMiddleware() }
        } equals: {
            ($0[0] <> $0[1]).eraseMiddleware()
        }
    }

    @Test func `zip is associative up to regrouping`() {
        forAllReaders(3) {
            Erased.zip($0[0], $0[1], $0[2]) { ($0 <> $1 <> $2).eraseToAnyMiddleware() }
        } equals: { readers in
            Erased.zip(
                readers[0],
                Erased.zip(readers[1], readers[2]) { ($0 <> $1).eraseToAnyMiddleware() }
            ) { ($0 <> $1).eraseToAnyMiddleware() }
        }
    }

    @Test func `mapping a zip equals zipping with the composed function`() {
        forAllReaders(2) {
            Erased.zip($0[0], $0[1]) { ($0 <> $1).eraseToAnyMiddleware() }.mapMiddleware(Self.later)
        } equals: {
            Erased.zip($0[0], $0[1]) { Self.later(($0 <> $1).eraseToAnyMiddleware()) }
        }
    }

    @Test func `extracting before a zip equals extracting in each of its readers`() {
        forAllReaders(2) {
            Erased.zip($0[0], $0[1]) { ($0 <> $1).eraseToAnyMiddleware() }.contramapDependencies { $0 }
        } equals: {
            Erased.zip(
                $0[0].contramapDependencies { $0 }, $0[1].contramapDependencies { $0 }
            ) { ($0 <> $1).eraseToAnyMiddleware() }
        }
    }
}
