// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// Prints what passes a host until the host ends or the reader leaves.
struct WatchedHost {
    /// The connection to the host that is watched.
    let host: ControlConnection
    /// Whether each line is for programs.
    let isJSON: Bool

    /// Prints one line for each action and for each change of the state.
    ///
    /// - Parameter parameters: what to watch.
    func run(_ parameters: Members) throws(ControlConnection.Failure) -> ExitCode {
        _ = try host.ask("watch", parameters)
        // A program that waits for this line misses nothing from here on.
        StandardError.tell("watching \(host.name)")
        while true {
            let message = try host.next()
            switch message["method"] {
            case "watch":
                guard let parameters = message["params"] else { continue }
                if isJSON { Results.write(parameters) } else { Results.writeLine(Self.text(parameters)) }
                // The watch ends when the reader has left.
                guard fflush(nil) == 0 else { return .success }
            case "dropped":
                let reason = message["params"]?["reason"]?.stringValue ?? ""
                return .givenUp.because("\(host.name) disconnected this watcher: \(reason)")
            default: _ = try ControlConnection.result(of: message)
            }
        }
    }

    /// Formats a notification as one line.
    private static func text(_ parameters: Value) -> String {
        if let state = parameters["state"] {
            let pointer = state.text("pointer")
            return (pointer.isEmpty ? "state" : pointer) + " " + (state["value"]?.json() ?? "(nothing)")
        }
        if let turnedAway = parameters["turnedAway"] { return Self.text(turnedAway: turnedAway) }
        let action = parameters["action"]
        var text = action?["type"]?.stringValue ?? ""
        if let payload = action?["payload"] { text += " " + payload.json() }
        if action?["error"] == true { text += " (error)" }
        if let partition = parameters["partition"]?.intValue { text += " in partition \(partition)" }
        return text + origin(parameters["source"])
    }

    /// Formats where something came from.
    private static func origin(_ source: Value?) -> String {
        if let instance = (source?["info"] ?? source?["instance"])?.stringValue { return " from " + instance }
        return " from \(source?["input"]?.stringValue ?? ""):\(source?["line"]?.intValue ?? 0)"
    }

    /// Formats a notification of what came to nothing as one line.
    private static func text(turnedAway: Value) -> String {
        var text = turnedAway.text("type").isEmpty ? "a line" : turnedAway.text("type")
        if let payload = turnedAway["action"]?["payload"] { text += " " + payload.json() }
        text += origin(turnedAway["source"]) + ": " + turnedAway.text("kind")
        var places = (turnedAway["instance"].map { [$0] } ?? turnedAway.list("instances"))
            .compactMap(\.stringValue)
        let more = turnedAway.count("more")
        if more > 0 { places.append("\(more.grouped) more") }
        if !places.isEmpty { text += " at " + places.joined(separator: ", ") }
        return text + ": " + turnedAway.text("reason")
    }
}
