// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost

/// Says, on the event loop, when a plugin's code does not come back, and when it has come back after all.
@EventLoop
final class HangWatch {
    /// Knows whether it is still the same call.
    private var watchdog: Watchdog
    /// What the host does.
    private let box: BlackBox

    /// A watch over a host's box that says nothing before a time is over.
    init(_ box: BlackBox, limit: Duration) {
        self.box = box
        watchdog = Watchdog(limit: limit)
    }

    /// Looks once a second from here on, as long as the process lives; more often where that is needed for a short limit.
    func begin(every pause: Duration) {
        for notice in watchdog.look(at: box) {
            switch notice {
            case .stuck(_, let account, let time):
                StandardError.writeLine(
                    "gatehouse: \(account.sentence), and has not come back for \(Self.seconds(time)); the host waits for it"
                )
            case .over(let call, let time):
                let place = call.partition.map { " in partition \($0)" } ?? ""
                StandardError.writeLine(
                    "gatehouse: what had not come back\(place) goes on after \(Self.seconds(time))")
            }
        }
        _ = LoopTimer(after: pause) { self.begin(every: pause) }
    }

    /// A time in whole seconds, or in tenths of the first one.
    private static func seconds(_ time: Duration) -> String {
        let seconds = time / .seconds(1)
        return seconds < 1 ? "\((seconds * 10).rounded(.down) / 10) s" : "\(Int(seconds)) s"
    }
}
