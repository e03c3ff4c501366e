// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// `gatehouse ctl try`: has a running host try a candidate, shows the progress on a terminal, and prints the outcome.
struct TriedCandidate {
    /// The host that tries it.
    let host: ControlConnection
    /// Whether the outcome is printed for programs.
    let isJSON: Bool

    /// Begins the trial and follows it to its end.
    ///
    /// - Returns: success where nothing differs, bad data where something does, and the code of `check` for a candidate that is refused.
    func run(_ parameters: Members) throws(ControlConnection.Failure) -> ExitCode {
        var trial = try host.ask("try", parameters, waits: true)
        let showsProgress = StandardError.isTerminal
        while trial["stage"] == "running" {
            if showsProgress { show(trial) }
            trial = try host.ask(
                "trial", ["digest": trial["digest"] ?? .null, "after": trial["version"] ?? .null], waits: true
            )
        }
        // Wipes the line of the progress.
        if showsProgress { StandardError.write("\r\u{1b}[K") }
        Results.write(trial, or: Self.text(of: trial), isJSON: isJSON)
        if trial["stage"] == "refused" { return trial["kind"] == "library" ? .pluginRefused : .configuration }
        return trial["outcome"]?["same"] == true ? .success : .badData
    }

    /// The outcome for people, with what to do next.
    private static func text(of trial: Value) -> String {
        let text = trial.text("text")
        guard trial["stage"] == "tried" else { return text }
        return text
            + "gatehouse ctl swap \(trial.text("digest").prefix(12)) puts it in the place of what runs\n"
    }

    /// Shows the progress on one line of the terminal.
    private func show(_ trial: Value) {
        let (done, total) = (trial.number("done"), trial.number("total"))
        let words = total > 0 ? "\(Int(done / total * 100)) % of \(Int(total).grouped) actions" : "rehearsing"
        StandardError.write("\r\u{1b}[K\(words)")
    }
}
