// SPDX-License-Identifier: Apache-2.0

import CLinux
import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What a host of protocol 1 and its children agree on besides orders and answers: requests, lines, messages of the socket, and the memory
/// that they share.
@Suite(.timeLimit(.minutes(10))) struct WorkerRequestRecordTests {
    /// The note of a plugin, of which a request has more members.
    private static let note: Value = ["format": 1]

    // MARK: - Requests and lines

    @Test func `the request to a worker is the recorded one, and a member of later versions is ignored`()
        throws
    {
        let member = WorkerRequest.Member(
            path: "/cache/libA.so", name: "libA.so", note: Self.note, id: "a", settings: ["start": 1],
            dependencies: ["data"], dataDirectory: "/data", own: 5, other: 6, network: 7)
        let other = WorkerRequest.Member(
            path: "/proc/self/fd/8", name: "libB.so", note: Self.note, id: "b", settings: [:],
            dependencies: nil,
            dataDirectory: nil, own: 9, other: 10, network: nil)
        let request = WorkerRequest(
            flightRecorder: 4, capacity: 262_144, isDebugged: false, members: [member, other])
        let recorded =
            #"{"flightRecorder":4,"capacity":262144,"isDebugged":false,"members":[{"path":"/cache/libA.so","name":"libA.so","note":{"format":1},"id":"a","settings":{"start":1},"dependencies":["data"],"dataDirectory":"/data","own":5,"other":6,"network":7},{"path":"/proc/self/fd/8","name":"libB.so","note":{"format":1},"id":"b","settings":{},"own":9,"other":10}]}"#
        #expect(request.json == recorded)
        let later = recorded.replacing(#""capacity":"#, with: #""later":[1],"capacity":"#)
            .replacing(#""own":5"#, with: #""later":{},"own":5"#)
        for text in [recorded, later] {
            #expect(try #require(WorkerRequest(json: text)).json == recorded)
        }
        // One that is missing is refused: the child ends, and the host says so.
        #expect(
            WorkerRequest(json: recorded.replacing(#""isDebugged":false"#, with: #""debugged":false"#)) == nil
        )
    }

    @Test func `a worker tells how far it is in the recorded lines`() {
        #expect(
            [WorkerStep.mapped, WorkerStep.making(2).line, WorkerStep.made.line] == [
                "mapped", "making 2", "made",
            ])
        #expect(HostChild.lastLine == "end")
    }

    @Test func `the request to rehearse, and what is told of it, are the recorded ones`() throws {
        let request = RehearsalRequest(images: [
            .init(
                path: "/cache/libA.so", name: "libA.so", note: Self.note,
                instances: [
                    .init(
                        id: "a", settings: ["start": 1], dependencies: ["data"],
                        state: VersionedState(version: 2, value: ["count": 4]))
                ])
        ])
        let recorded =
            #"{"images":[{"path":"/cache/libA.so","name":"libA.so","note":{"format":1},"instances":[{"id":"a","settings":{"start":1},"dependencies":["data"],"state":{"version":2,"value":{"count":4}}}]}]}"#
        #expect(request.json == recorded)
        #expect(try #require(RehearsalRequest(json: recorded)).json == recorded)
        let events: [(RehearsalEvent, String)] = [
            (.step(.load, image: 0, instance: nil), #"{"step":{"_0":"load","image":0}}"#),
            (.step(.handover, image: 0, instance: 1), #"{"step":{"_0":"handover","image":0,"instance":1}}"#),
            (
                .objection(.reasons(["no entry"]), image: 0, instance: nil),
                #"{"objection":{"_0":{"reasons":{"_0":["no entry"]}},"image":0}}"#
            ),
            (
                .objection(
                    .settings(pointer: try JSONPointer("/start"), expected: "a number", found: "\"x\""),
                    image: 0,
                    instance: 1),
                #"{"objection":{"_0":{"settings":{"pointer":"/start","expected":"a number","found":"\"x\""}},"image":0,"instance":1}}"#
            ),
            (.done(image: 0), #"{"done":{"image":0}}"#),
            (.end, "end"),
        ]
        for (event, recorded) in events {
            #expect(event.line == recorded)
            #expect(RehearsalEvent(line: recorded) == event)
        }
        // The words of all steps are in the events.
        let steps = ["load", "entry", "names", "parts", "state", "handover", "end"]
        #expect(steps.compactMap { LoadingStep(rawValue: $0) }.map(\.rawValue) == steps)
    }

    // MARK: - The socket for connections

    @Test func `requests for connections and the answers to them are the recorded ones`() throws {
        let wishes: [(NetworkRequest.Wish, String)] = [
            (.connect, #"\x03\x00\x00\x00\x10'\x00\x00\xbb\x01\x01a.example"#),
            (.listen, #"\x03\x00\x00\x00\x10'\x00\x00\xbb\x01\x02a.example"#),
            (.giveBack, #"\x03\x00\x00\x00\x10'\x00\x00\xbb\x01\x03a.example"#),
        ]
        for (wish, recorded) in wishes {
            let request = NetworkRequest(
                number: 3, milliseconds: 10_000, port: 443, wish: wish, host: "a.example")
            #expect(WireText(request.bytes).description == recorded)
            #expect(try NetworkRequest(WireText.bytes(of: recorded)) == request)
        }
        let replies: [(ConnectionFailure?, String)] = [
            (nil, #"\x03\x00\x00\x00\x00"#),
            (ConnectionFailure(.notGranted, "not granted"), #"\x03\x00\x00\x00\x01not granted"#),
            (ConnectionFailure(.unreachable, "refused"), #"\x03\x00\x00\x00\x03refused"#),
        ]
        for (failure, recorded) in replies {
            let reply = NetworkReply(number: 3, failure: failure)
            #expect(WireText(reply.bytes).description == recorded)
            #expect(NetworkReply(try WireText.bytes(of: recorded)) == reply)
        }
    }

    // MARK: - Shared memory

    @Test func `the memory of a ring is the recorded one`() throws {
        let mine = try RingFile(named: "mine", capacity: 4_096)
        let yours = try RingFile(named: "yours", capacity: 4_096)
        let (descriptor, other) = (mine.descriptor, yours.descriptor)
        let (own, theirs) = (try RingMemory(own: mine), try RingMemory(own: yours))
        let (seen, seenOther) = (try RingMemory(other: mine), try RingMemory(other: yours))
        var writer = RingWriter(own: own, other: seenOther)
        var reader = RingReader(own: theirs, other: seen)
        let text = Array("hello".utf8)
        #expect(try writer.put(text.span) == 5)
        writer.publish()
        var taken: [UInt8] = []
        #expect(try reader.take(into: &taken, atMost: 3) == 3)
        // The position after what was sent, that after what was taken, the words of sleepers, and a page later the bytes.
        #expect(try Self.content(of: descriptor) == [0: #"\x05"#, 4_096: "hello"])
        #expect(try Self.content(of: other) == [64: #"\x03"#])
        #expect(WorkerLife.capacity == 262_144)
    }

    /// The runs of bytes in a file that are not zero, by their offsets.
    private static func content(of descriptor: Int32) throws -> [Int: String] {
        let bytes = try FileSystem.read("/proc/self/fd/\(descriptor)")
        var runs: [Int: String] = [:]
        var place = 0
        while place < bytes.count {
            let run = bytes[place...].prefix { $0 != 0 }
            if !run.isEmpty { runs[place] = WireText(run).description }
            place += run.count + 1
        }
        return runs
    }

    @Test
    func `the form of a flight recorder is the recorded one, as its layout is that the compiler checks`() {
        // gatehouse_recorder.c has the offsets.
        #expect(GATEHOUSE_RECORDER_FORM == 7)
        #expect(GATEHOUSE_RECORDER_MAGIC == 0x4748_4242)
        #expect(FlightRecorder.byteCount == 77_413_312)
    }

    @Test func `the limits that both sides keep are the recorded ones`() {
        #expect(WorkerRequest.longestMessage == 268_435_456)
        #expect((NetworkRequest.most, NetworkRequest.longest, NetworkReply.longest) == (32, 266, 1_029))
        #expect(PluginStatus.mostNames == 64)
        #expect(PluginStatus.longestName == 64)
    }
}
