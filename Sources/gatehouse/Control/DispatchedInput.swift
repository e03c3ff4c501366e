// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehouseHistory
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// Has a host process the actions on standard input, one JSON object per line.
///
/// The lines that have come are sent together: in a cluster each request waits for the engine.
struct DispatchedInput {
    /// The connection to the host.
    private let host: ControlConnection
    /// Whether the result is for programs.
    private let isJSON: Bool
    /// The lines that are not sent yet, with their numbers.
    private var waiting: [(number: Int, action: Value)] = []
    /// The bytes of these.
    private var size = 0
    /// The answers so far, added up.
    private var sum = (dispatched: 0, reported: 0, appended: Int?.none)
    /// The recorded actions that were left out, because they follow by themselves from those before.
    private var following = 0
    /// The numbers of the recorded inputs so far.
    private var inputs: Set<UInt64> = []

    /// The most lines in a request, and the most bytes: a host takes no request of more than a mebibyte.
    private static let most = (lines: 256, bytes: 1 << 18)

    /// Why the rest of the lines is not sent.
    private struct Refusal: Error {
        /// The place and the reason.
        let sentence: String
    }

    /// Creates the input of a host, of which nothing is read yet.
    init(host: ControlConnection, isJSON: Bool) {
        self.host = host
        self.isJSON = isJSON
    }

    /// Sends all lines in order; stops at the first refusal, after which nothing is dispatched.
    mutating func run() throws(ControlConnection.Failure) -> ExitCode {
        do {
            try sendAll()
        } catch let refusal as Refusal {
            return .badData.because(
                "standard input\(refusal.sentence); \(Counted.text(sum.dispatched, "action")) dispatched before"
            )
        } catch let failure as ControlConnection.Failure {
            throw failure
        } catch {
            return .badData.because("standard input: \(error)")
        }
        var members: Members = ["dispatched": Value(sum.dispatched), "reported": Value(sum.reported)]
        if following > 0 { members["following"] = Value(following) }
        members["appended"] = sum.appended.map { Value($0) }
        let answer = Value.object(members)
        Results.write(answer, or: Self.text(answer), isJSON: isJSON)
        return sum.reported == 0 ? .success : .badData
    }

    /// Reads standard input to its end, and sends what has come each time.
    private mutating func sendAll() throws {
        var lines = PendingLines()
        var number = 0
        var chunk = [UInt8](repeating: 0, count: SystemFile.chunk)
        var isAtEnd = false
        while !isAtEnd {
            let count = unsafe read(STDIN_FILENO, &chunk, chunk.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw Refusal(sentence: " cannot be read: \(SystemReason.text(of: errno))")
            }
            isAtEnd = count == 0
            // The last line may have no end.
            lines.append(isAtEnd ? [UInt8(ascii: "\n")] : chunk[..<count])
            while let line = lines.next() {
                number += 1
                try take(line, number)
            }
            try send()
        }
    }

    /// Takes a line, and sends those before it where there are enough of them.
    private mutating func take(_ line: [UInt8], _ number: Int) throws {
        if line.allSatisfy(" \t\r".utf8.contains) { return }
        if waiting.count == Self.most.lines || size + line.count > Self.most.bytes { try send() }
        do {
            let told = try JSONText.parse(line)
            let record = try ToldRecord(told)
            guard record?.follows(from: &inputs) != true else {
                following += 1
                return
            }
            waiting.append((number, record?.action ?? told))
            size += line.count
        } catch let error as JSONSyntaxError {
            try send()
            throw Refusal(sentence: ":\(number):\(error.position.column): \(error.reason)")
        } catch let error as CodingFailure {
            try send()
            throw Refusal(
                sentence: ":\(number): expected \(error.expected) at \(error.pointer), found \(error.found)")
        }
    }

    /// Sends the waiting lines; one by one where the host refuses them together, which it does before it dispatches any.
    private mutating func send() throws {
        let lines = waiting
        (waiting, size) = ([], 0)
        guard let first = lines.first else { return }
        do throws(ControlConnection.Failure) {
            let answer = try host.ask(
                "dispatch",
                lines.count == 1 ? ["action": first.action] : ["actions": .array(lines.map(\.action))],
                times: lines.count)
            sum.dispatched += answer.count("dispatched")
            sum.reported += answer.count("reported")
            if let count = answer["appended"]?.intValue { sum.appended = (sum.appended ?? 0) + count }
        } catch {
            guard case .refused(let refusal) = error, refusal.code == -32602 else { throw error }
            guard lines.count > 1 else { throw Refusal(sentence: ":\(first.number): \(refusal.message)") }
            for line in lines {
                waiting = [line]
                try send()
            }
        }
    }

    /// The number of dispatched actions, on one line.
    static func text(_ answer: Value) -> String {
        let count = Counted.text(answer.count("dispatched"), "action")
        let reported = answer.count("reported")
        let place = answer["appended"].map { ", \($0.intValue ?? 0) of them put into the cluster" } ?? ""
        let following = answer.count("following")
        let rest =
            following > 0
            ? "; \(Counted.text(following, "recorded action")) left out, because what was dispatched leads to them again"
            : ""
        guard reported > 0 else { return "\(count) dispatched\(place)\(rest)\n" }
        return
            "\(count) dispatched\(place)\(rest); the host reported bad data meanwhile, see its standard error\n"
    }
}
