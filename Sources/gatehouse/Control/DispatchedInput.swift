// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// Has a host process the actions on standard input, one JSON object per line.
struct DispatchedInput {
    /// The connection to the host.
    let host: ControlConnection
    /// Whether the result is for programs.
    let isJSON: Bool

    /// Sends each line after the one before has been processed; stops at the first refusal.
    func run() throws(ControlConnection.Failure) -> ExitCode {
        var number = 0
        var dispatched = 0
        var reported = 0
        var appended: Int?
        while let line = readLine() {
            number += 1
            if line.allSatisfy(\.isWhitespace) { continue }
            let action: Value
            do {
                action = try JSONText.parse(line)
            } catch {
                return refuse("\(number):\(error.position.column): \(error.reason)", dispatched)
            }
            do throws(ControlConnection.Failure) {
                let answer = try host.ask("dispatch", ["action": action])
                dispatched += answer.count("dispatched")
                reported += answer.count("reported")
                if let count = answer["appended"]?.intValue { appended = (appended ?? 0) + count }
            } catch {
                guard case .refused(let refusal) = error, refusal.code == -32602 else { throw error }
                return refuse("\(number): \(refusal.message)", dispatched)
            }
        }
        var members: Members = ["dispatched": Value(dispatched), "reported": Value(reported)]
        members["appended"] = appended.map { Value($0) }
        let answer = Value.object(members)
        Results.write(answer, or: Self.text(answer), isJSON: isJSON)
        return reported == 0 ? .success : .badData
    }

    /// Reports which line was refused, and how many were accepted.
    private func refuse(_ sentence: String, _ dispatched: Int) -> ExitCode {
        return .badData.because(
            "standard input:\(sentence); \(Counted.text(dispatched, "action")) dispatched before")
    }

    /// The number of dispatched actions, on one line.
    static func text(_ answer: Value) -> String {
        let count = Counted.text(answer.count("dispatched"), "action")
        let reported = answer.count("reported")
        let place = answer["appended"].map { ", \($0.intValue ?? 0) of them put into the cluster" } ?? ""
        guard reported > 0 else { return "\(count) dispatched\(place)\n" }
        return "\(count) dispatched\(place); the host reported bad data meanwhile, see its standard error\n"
    }
}
