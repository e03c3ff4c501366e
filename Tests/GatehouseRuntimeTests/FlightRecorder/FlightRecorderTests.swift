// SPDX-License-Identifier: Apache-2.0

import CLinux
import GatehouseHostTesting
import GatehouseRuntimeTesting
import GatehouseSDK
import Glibc
import Testing

@testable import GatehouseRuntime

/// What the flight recorder says of a host.
@Suite(.timeLimit(.minutes(10))) struct FlightRecorderTests {
    /// A flight recorder in a file, and the same as others see it.
    private func flightRecorders() throws -> (own: FlightRecorder, seen: FlightRecorder) {
        let pair = try FlightRecorderPair()
        return (pair.own, pair.seen)
    }

    /// The word of a record.
    private func enter(_ flightRecorder: FlightRecorder, _ number: Int, _ step: PluginStep) {
        FlightRecorderPair.enter(RunProgress(in: flightRecorder), number, step)
    }

    @Test func `a file that no host has written says nothing`() throws {
        let file = unsafe gatehouse_memfd_create("box")
        try #require(file >= 0 && ftruncate(file, off_t(FlightRecorder.byteCount)) == 0)
        defer { close(file) }
        let flightRecorder = FlightRecorder(lookingAt: file)
        #expect(
            flightRecorder.process == nil && flightRecorder.activity == nil && flightRecorder.death == nil)
    }

    @Test func `others see at once what runs`() throws {
        let (own, seen) = try flightRecorders()
        #expect(seen.process == getpid())
        #expect(seen.activity == nil)
        let number = own.enter("eu", plugin: "orders", digest: nil)
        let source = ActionSource(file: "in.ndjson", function: "", line: 17, info: nil)
        own.know(source, isReadAgain: true)
        own.know("orders/placed")
        let progress = RunProgress(in: own)
        progress.begin(1_234, "orders/placed", from: source)
        enter(own, number, .handle)
        let activity = try #require(seen.activity)
        #expect(
            activity.sentence
                == "the plugin orders (instance eu) is in its middleware, with the action orders/placed (number 1234, from in.ndjson:17)"
        )
        #expect(activity.blame == .record && activity.step == .handle && activity.sequence == 1_234)
        #expect(activity.instance == "eu" && activity.plugin == "orders" && activity.digest == nil)
        #expect(
            activity.input
                == InputOrigin(
                    number: nil,
                    place: InputOrigin.Place(file: "in.ndjson", line: 17, isReadAgain: true)))
        progress.leave()
        #expect(seen.activity == nil)
    }

    @Test func `a consequence goes back to its input, however long the chain`() throws {
        let (own, seen) = try flightRecorders()
        let number = own.enter("eu", plugin: "orders", digest: nil)
        let progress = RunProgress(in: own)
        let input = ActionSource(file: "in", function: "", line: 3, info: nil)
        own.know(input, isReadAgain: false)
        progress.begin(1, "first", from: input.caused(by: ActionCause(.input, 99)))
        for next in 2...5_000 as ClosedRange<UInt64> {
            let place = ActionSource.here(info: "eu").caused(by: ActionCause(.output, next - 1))
            progress.begin(next, "next", from: place)
        }
        enter(own, number, .reduce)
        #expect(seen.activity?.input?.place?.line == 3)
        // Longer ago than is remembered.
        progress.begin(5_001, "late", from: ActionSource.here().caused(by: ActionCause(.effect, 2)))
        #expect(seen.activity?.input == nil)
        progress.note(input: 99)
        #expect(seen.activity?.input == InputOrigin(number: 99, place: nil))
    }

    // MARK: - Effects

    /// A flight recorder in whose host three effects may have begun, after action 7 from line 17.
    private func working() throws -> (seen: FlightRecorder, progress: RunProgress, instance: Int) {
        let (own, seen) = try flightRecorders()
        let number = own.enter("eu", plugin: "orders", digest: nil)
        let source = ActionSource(file: "in.ndjson", function: "", line: 17, info: nil)
        own.know(source, isReadAgain: true)
        own.know("orders/placed")
        let progress = RunProgress(in: own)
        progress.begin(7, "orders/placed", from: source)
        return (seen, progress, number)
    }

    @Test func `the only effect that runs is named with the action that has begun it`() throws {
        let (seen, progress, number) = try working()
        #expect(seen.suspect == nil)
        let effect = progress.beginEffect(of: UInt64(number), after: 7)
        let other = progress.beginEffect(of: UInt64(number), after: 7)
        progress.endEffect(at: other)
        progress.begin(8, "orders/shipped", from: .here())
        let suspect = try #require(seen.suspect)
        #expect(
            suspect.sentence
                == "the plugin orders (instance eu) was in an effect, begun by the action orders/placed (number 7, from in.ndjson:17)"
        )
        #expect(suspect.blame == .record && suspect.step == .effect && suspect.sequence == 7)
        #expect(suspect.input?.place?.line == 17)
        progress.endEffect(at: effect)
        #expect(seen.suspect == nil)
    }

    @Test func `of several effects of one plugin none is named, and of several plugins nobody is`() throws {
        let (seen, progress, number) = try working()
        for _ in 0..<2 { _ = progress.beginEffect(of: UInt64(number), after: 7) }
        let suspect = try #require(seen.suspect)
        #expect(suspect.sentence == "only the plugin orders had work to do")
        #expect(suspect.plugin == "orders" && suspect.instance == nil && suspect.input == nil)
        let other = progress.flightRecorder.enter("mail", plugin: "mail", digest: nil)
        _ = progress.beginEffect(of: UInt64(other), after: 7)
        #expect(seen.suspect == nil)
    }

    @Test func `what the drain runs counts beside the effects`() throws {
        let (seen, progress, number) = try working()
        enter(progress.flightRecorder, number, .reduce)
        #expect(
            seen.suspect?.sentence
                == "the plugin orders (instance eu) was in its reducer, with the action orders/placed (number 7, from in.ndjson:17)"
        )
        let other = progress.flightRecorder.enter("mail", plugin: "mail", digest: nil)
        _ = progress.beginEffect(of: UInt64(other), after: 7)
        #expect(seen.suspect == nil)
    }

    @Test func `an effect that traps while its own action is in hand is told with that action`() throws {
        let (seen, progress, number) = try working()
        enter(progress.flightRecorder, number, .answer)
        let effect = progress.beginEffect(of: UInt64(number), after: 7)
        let suspect = try #require(seen.suspect)
        #expect(
            suspect.sentence
                == "only the plugin orders had work to do, with the action orders/placed (number 7, from in.ndjson:17)"
        )
        #expect(suspect.step == nil && suspect.input?.place?.line == 17)
        progress.begin(8, "orders/shipped", from: .here())
        #expect(seen.suspect?.sentence == "only the plugin orders had work to do")
        progress.endEffect(at: effect)
    }

    @Test func `effects for which there is no room are known to be there`() throws {
        let (seen, progress, number) = try working()
        let places = (0..<1_024).map { _ in progress.beginEffect(of: UInt64(number), after: 7) }
        #expect(Set(places).count == 1_024 && !places.contains(0))
        let late = progress.beginEffect(of: UInt64(number), after: 7)
        #expect(late == 0)
        // It may be anybody's.
        #expect(seen.suspect == nil)
        progress.endEffect(at: late)
        #expect(seen.suspect?.plugin == "orders")
        for place in places { progress.endEffect(at: place) }
        #expect(seen.suspect == nil)
        #expect(progress.beginEffect(of: UInt64(number), after: 7) != 0)
    }

    @Test func `an effect that began long after its action knows the number alone`() throws {
        let (seen, progress, number) = try working()
        progress.begin(8, "orders/shipped", from: .here())
        _ = progress.beginEffect(of: UInt64(number), after: 7)
        #expect(
            seen.suspect?.sentence
                == "the plugin orders (instance eu) was in an effect, begun by an action of some time ago (number 7, from in.ndjson:17)"
        )
    }

    @Test func `names that are too long are cut, and those for which there is no room are told as late`()
        throws
    {
        let (own, seen) = try flightRecorders()
        let long = String(repeating: "x", count: 500)
        #expect(own.enter(long, plugin: long, digest: nil) == 0)
        enter(own, 0, .start)
        #expect(seen.activity?.instance == String(repeating: "x", count: 64))
        enter(own, 1 << 20, .start)
        #expect(seen.activity?.sentence == "a plugin that came late is at its start")
    }

    @Test func `of two types that share a place in the table the later one is known`() throws {
        let (own, seen) = try flightRecorders()
        let types = (0...4_096).map { ActionType("types/\($0)") }
        let places = Dictionary(grouping: types) { $0.place % 4_096 }
        let pair = try #require(places.values.first { $0.count > 1 })
        let number = own.enter("eu", plugin: "orders", digest: nil)
        for type in pair { own.know(type) }
        let progress = RunProgress(in: own)
        progress.begin(7, pair[pair.count - 1], from: .here())
        enter(own, number, .handle)
        #expect(seen.activity?.type == pair[pair.count - 1].name)
        progress.begin(8, pair[0], from: .here())
        enter(own, number, .handle)
        let activity = try #require(seen.activity)
        #expect(activity.type == nil && activity.sequence == 8)
        #expect(
            activity.sentence
                == "the plugin orders (instance eu) is in its middleware, with an action of a type that is no longer known (number 8)"
        )
    }

    @Test func `long work counts until it is done or its time is over, and is done once`() throws {
        let (own, seen) = try flightRecorders()
        #expect(!seen.hasLongWork)
        let first = own.beginLongWork(.seconds(60))
        #expect(seen.hasLongWork)
        first()
        #expect(!seen.hasLongWork)
        let second = own.beginLongWork(.seconds(60))
        // The place is another's by now.
        first()
        #expect(seen.hasLongWork)
        second()
        let over = own.beginLongWork(.zero)
        #expect(!seen.hasLongWork)
        over()
    }

    @Test func `more long work than there is room for is not counted`() throws {
        let (own, seen) = try flightRecorders()
        let works = (0..<65).map { _ in own.beginLongWork(.seconds(60)) }
        for end in works.dropLast() { end() }
        #expect(!seen.hasLongWork)
        works.last?()
    }

    @Test func `numbers of instances that are gone are given again`() throws {
        let (own, seen) = try flightRecorders()
        #expect(own.enter("a", plugin: "p", digest: nil) == 0)
        #expect(own.enter("b", plugin: "p", digest: nil) == 1)
        own.leave(0)
        #expect(own.id(of: 0) == nil && own.id(of: 1) == "b")
        #expect(own.enter("c", plugin: "p", digest: nil) == 0)
        enter(own, 0, .stopping)
        #expect(seen.activity?.sentence == "the plugin p (instance c) is in its work at the end of the run")
    }

    @Test func `a name cannot begin a line of its own`() throws {
        let (own, seen) = try flightRecorders()
        _ = own.enter("a\nb", plugin: "p\u{1b}[2J", digest: nil)
        enter(own, 0, .start)
        #expect(seen.activity?.sentence == "the plugin p?[2J (instance a?b) is at its start")
    }
}
