// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

@testable import HTTPPlugin

/// Events for those who listen, come back, and read slowly.
@Suite(.timeLimit(.minutes(5)))
struct EventFeedTests {
    /// News that the test brings.
    private let news: AsyncStream<Value>
    private let bring: AsyncStream<Value>.Continuation

    init() { (news, bring) = AsyncStream<Value>.makeStream() }

    private func feed() -> EventFeed {
        let source = Source(news)
        return EventFeed(
            HostNews { () async throws(HostControl.Failure) in await source.next() },
            again: { () throws(HostControl.Failure) in
                throw HostControl.Failure(code: -32001, message: "over")
            })
    }

    /// Takes from a stream, one after the other.
    private actor Source {
        private var iterator: AsyncStream<Value>.Iterator

        init(_ stream: AsyncStream<Value>) { iterator = stream.makeAsyncIterator() }

        func next() async -> Value? {
            var taken = iterator
            defer { iterator = taken }
            return await taken.next(isolation: self)
        }
    }

    /// Reads until a text has come.
    private func read(_ stream: EventStream, until text: String) async -> String {
        let (arrivals, tell) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        stream.onArrival { tell.yield() }
        var waiting = arrivals.makeAsyncIterator()
        var read = ""
        while true {
            switch stream.read(atMost: 1_000) {
            case .bytes(let bytes): read += String(decoding: bytes, as: UTF8.self)
            case .end: return read
            case .nothing:
                if read.contains(text) { return read }
                _ = await waiting.next(isolation: nil)
            }
        }
    }

    private func action(_ number: Int) -> Value { ["action": ["type": "a", "payload": Value(number)]] }

    @Test func `what passes is told in order, each with an id`() async {
        let feed = feed()
        let stream = EventStream(feed, behind: nil)
        for number in 1...2 { bring.yield(action(number)) }
        let text = await read(stream, until: "\(feed.name)-2")
        #expect(
            text == """
                retry: 1000
                : watching

                id: \(feed.name)-1
                event: action
                data: {"action":{"type":"a","payload":1}}

                id: \(feed.name)-2
                event: action
                data: {"action":{"type":"a","payload":2}}


                """)
        feed.stop()
    }

    @Test func `whoever comes back goes on after what was heard last`() async {
        let feed = feed()
        for number in 1...5 { bring.yield(action(number)) }
        _ = await read(EventStream(feed, behind: "\(feed.name)-0"), until: "\(feed.name)-5\n")
        let text = await read(EventStream(feed, behind: "\(feed.name)-3"), until: "\(feed.name)-5\n")
        #expect(text.contains("payload\":4") && text.contains("payload\":5"))
        #expect(!text.contains("payload\":3") && !text.contains("lost"))
        feed.stop()
    }

    @Test(arguments: ["other-3", "nonsense", "-", "x-99"])
    func `whoever comes back from elsewhere is told that something was lost`(id: String) async {
        let feed = feed()
        let text = await read(EventStream(feed, behind: id), until: "lost")
        #expect(
            text.hasSuffix(
                """
                event: lost
                data: {"count":null,"reason":"what passed since then was not kept"}


                """))
        feed.stop()
    }

    @Test func `whoever reads slowly is told how much was lost, and goes on`() async {
        let feed = feed()
        let slow = EventStream(feed, behind: nil)
        let count = EventFeed.most.events + 100
        for number in 1...count { bring.yield(action(number)) }
        _ = await read(EventStream(feed, behind: "\(feed.name)-\(0)"), until: "\(feed.name)-\(count)\n")
        let text = await read(slow, until: "\(feed.name)-\(count)\n")
        #expect(
            text.contains(
                "event: lost\ndata: {\"count\":100,\"reason\":\"the reader was too slow, and older events were dropped\"}\n\nid: \(feed.name)-101\n"
            ))
        feed.stop()
    }

    @Test func `whoever takes so many bytes is given no event more than they have`() async {
        let feed = feed()
        for number in 1...2 { bring.yield(action(number)) }
        _ = await read(EventStream(feed, behind: "\(feed.name)-0"), until: "\(feed.name)-2\n")
        let first = feed.read(from: 1, about: 1)
        #expect(first.next == 2)
        #expect(feed.read(from: 1, about: first.text.count).next == 2)
        #expect(feed.read(from: 1, about: first.text.count + 1).next == 3)
        feed.stop()
    }

    @Test func `a place of the state is told to who comes later, as it is`() async {
        let feed = feed()
        for number in 1...3 { bring.yield(["state": ["pointer": "/a", "value": Value(number)]]) }
        _ = await read(EventStream(feed, behind: "\(feed.name)-0"), until: "\(feed.name)-3\n")
        let text = await read(EventStream(feed, behind: nil), until: "\(feed.name)-3\n")
        #expect(text.components(of: "event: state") == 1)
        #expect(text.contains(#"{"state":{"pointer":"/a","value":3}}"#))
        feed.stop()
    }

    @Test func `a feed is kept for a while when nobody listens, and those who do get signs of life`() {
        let feed = feed()
        for _ in 0..<12 { #expect(feed.tick()) }
        #expect(!feed.tick())
        let stream = EventStream(feed, behind: nil)
        let signs = Atomic(0)
        stream.onArrival { signs.wrappingAdd(1, ordering: .relaxed) }
        for _ in 0..<30 { #expect(feed.tick()) }
        #expect(signs.load(ordering: .relaxed) == 10)
        stream.close()
        feed.stop()
        #expect(!feed.tick())
    }

    @Test func `the end of the host ends the answer`() async {
        let feed = feed()
        bring.finish()
        let text = await read(EventStream(feed, behind: nil), until: "never")
        #expect(text == "retry: 1000\n: watching\n\n")
    }

    /// Waits until a feed has an event of a number.
    private func wait(for number: Int, in feed: EventFeed) async {
        _ = await read(
            EventStream(feed, behind: "\(feed.name)-\(number - 1)"), until: "id: \(feed.name)-\(number)\n")
    }

    @Test func `a mebibyte of events is kept, and always the last one`() async {
        #expect(EventFeed.most.events == 4_096)
        #expect(EventFeed.most.bytes == 1_048_576)
        let feed = feed()
        let half = String(repeating: "x", count: 500_000)
        for _ in 1...3 { bring.yield(["action": .string(half)]) }
        await wait(for: 3, in: feed)
        let text = String(decoding: feed.read(from: 1, about: 1).text.prefix(200), as: UTF8.self)
        #expect(text.hasPrefix("event: lost\ndata: {\"count\":1,"))
        #expect(feed.read(from: 2, about: 1).next == 3)
        bring.yield(["action": .string(half + half + half)])
        await wait(for: 4, in: feed)
        #expect(feed.read(from: 4, about: 1).text.count > 1_500_000)
        #expect(
            String(decoding: feed.read(from: 1, about: 1).text.prefix(29), as: UTF8.self)
                == "event: lost\ndata: {\"count\":3,")
        bring.yield(["action": 1])
        await wait(for: 5, in: feed)
        #expect(feed.read(from: 5, about: 1).next == 6)
        #expect(feed.read(from: 6, about: 1).text == [])
        #expect(feed.read(from: 6, about: 1).next == 6)
        feed.stop()
    }

    @Test func `whoever comes back with an id of the feed goes on there, and with another from now on`() async
    {
        let feed = feed()
        for number in 1...3 { bring.yield(action(number)) }
        await wait(for: 3, in: feed)
        let names = ["0", "2", "3", "4", "-1", "x"].map { feed.begin(behind: "\(feed.name)-\($0)").next }
        #expect(names == [1, 3, 4, 4, 4, 4])
        #expect(feed.begin(behind: nil).next == 4)
        #expect(feed.begin(behind: feed.name).next == 4)
        #expect(
            String(decoding: feed.begin(behind: "\(feed.name)-4").greeting, as: UTF8.self).contains("lost"))
        #expect(
            !String(decoding: feed.begin(behind: "\(feed.name)-3").greeting, as: UTF8.self).contains("lost"))
        #expect(!String(decoding: feed.begin(behind: nil).greeting, as: UTF8.self).contains("lost"))
        feed.stop()
    }

    @Test func `rounds without listeners are counted from the last one`() {
        let feed = feed()
        #expect(feed.idleRounds == 0)
        for _ in 0..<5 { _ = feed.tick() }
        #expect(feed.idleRounds == 5)
        let stream = EventStream(feed, behind: nil)
        stream.onArrival {}
        #expect(feed.idleRounds == nil)
        #expect(feed.tick())
        stream.close()
        #expect(feed.idleRounds == 0)
        for _ in 0..<12 { #expect(feed.tick()) }
        #expect(!feed.tick())
        feed.stop()
    }

    @Test func `whoever wants so many events a second is told how many more there were`() async {
        let feed = feed()
        let clock = Mutex(ContinuousClock.now)
        let stream = EventStream(feed, behind: nil, mostOfSecond: 2) { clock.withLock(\.self) }
        func texts() -> String {
            var texts = ""
            while case .bytes(let bytes) = stream.read(atMost: 1_000) {
                texts += String(decoding: bytes, as: UTF8.self)
                if texts.hasSuffix(":\n\n") { break }
            }
            return texts
        }
        #expect(texts() == "retry: 1000\n: watching\n\n")
        for number in 1...5 { bring.yield(action(number)) }
        await wait(for: 5, in: feed)
        let first = texts()
        #expect(first.contains("id: \(feed.name)-2\n") && !first.contains("id: \(feed.name)-3\n"))
        #expect(!first.contains("event: more"))
        bring.yield(action(6))
        await wait(for: 6, in: feed)
        #expect(texts() == "")
        clock.withLock { $0 += .seconds(1) }
        bring.yield(action(7))
        await wait(for: 7, in: feed)
        let next = texts()
        #expect(next.hasPrefix("event: more\ndata: {\"count\":4}\n\nid: \(feed.name)-7\n"))
        feed.stop()
        guard case .end = stream.read(atMost: 1_000) else {
            Issue.record("the stream goes on")
            return
        }
    }

    @Test func `a stream gives no more bytes than are asked for, and a sign of life when woken for nothing`()
    {
        let feed = feed()
        let stream = EventStream(feed, behind: nil)
        var pieces: [String] = []
        while case .bytes(let bytes) = stream.read(atMost: 10), pieces.count < 9 {
            pieces.append(String(decoding: bytes, as: UTF8.self))
        }
        #expect(pieces == ["retry: 100", "0\n: watchi", "ng\n\n"])
        for expected in [":\n\n", nil, ":\n\n", nil] {
            let found: String? =
                if case .bytes(let bytes) = stream.read(atMost: 10) {
                    String(decoding: bytes, as: UTF8.self)
                } else {
                    nil
                }
            #expect(found == expected)
        }
        feed.stop()
        guard case .end = stream.read(atMost: 10) else {
            Issue.record("the stream goes on")
            return
        }
    }
}

extension String {
    /// How often a text occurs.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
