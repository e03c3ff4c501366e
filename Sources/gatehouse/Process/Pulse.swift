// SPDX-License-Identifier: Apache-2.0

internal import GatehouseReload
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// The thread that asks the host for signs of life. It reports when a plugin's call does not return, with its stack, and when the call
/// has returned after all.
///
/// It depends on neither the drain, the event loop nor the tasks, any of which may be blocked. It asks an idle host once in ten seconds.
final class Pulse {
    /// Shows what the host is doing.
    private let flightRecorder: FlightRecorder
    /// The interval between two requests for signs; nil for never.
    private let asking: Duration?
    /// How long a call may take before it is reported; zero for any time.
    private let limit: Duration
    /// Whether the supervisor reports missing signs.
    private let isSupervised: Bool

    /// Recognizes whether it is still the same call.
    private var calls: Watchdog
    /// Recognizes which signs are missing.
    private var signs: SignWatch

    /// The priorities at which tasks run.
    private static let priorities: ArraySlice<TaskPriority> = [.high, .medium, .low, .background]

    /// The longest interval between two requests.
    private static let longest = Duration.seconds(10)

    /// Creates a pulse that has not started.
    ///
    /// - Parameters:
    ///   - limit: how long a call may take before it is reported; zero for any time.
    ///   - hang: how long a supervisor waits for a sign; zero for ever.
    init(_ crashes: CrashLog, limit: Duration, hang: Duration) {
        flightRecorder = crashes.flightRecorder
        self.limit = limit
        isSupervised = crashes.isSupervised
        let patience = isSupervised ? hang : limit
        asking = patience > .zero ? min(patience / 3, Self.longest) : nil
        calls = Watchdog(limit: limit)
        signs = SignWatch(limit: limit)
    }

    /// Starts the thread, unless nobody needs it; it lasts as long as the process.
    func begin() {
        guard limit > .zero || asking != nil else { return }
        // From here on only the thread uses it.
        nonisolated(unsafe) let pulse = self
        BackgroundThread.start { unsafe pulse.run() }
    }

    /// Asks and looks periodically.
    private func run() -> Never {
        let pause = asking ?? min(limit, Self.longest)
        // A call that was there at the last look is checked more often, so that the report is accurate.
        let look = limit > .zero ? min(limit / 2, .seconds(1)) : pause
        var clock = PatientClock(lookingEvery: max(pause, look))
        var next = ContinuousClock.now
        while true {
            if ContinuousClock.now >= next {
                ask()
                next = ContinuousClock.now + pause
            }
            let now = clock.look(isStopped: flightRecorder.hasLongWork)
            if limit > .zero { tell(now) }
            let isBusy = limit > .zero && flightRecorder.isBusy
            let rest = min(
                isBusy ? look : pause, max(ContinuousClock.now.duration(to: next), .milliseconds(1)))
            usleep(UInt32(clamping: Int(rest / .microseconds(1))))
        }
    }

    /// Asks the event loop and the threads of tasks for a sign.
    private func ask() {
        guard asking != nil else { return }
        let question = flightRecorder.ask()
        EventLoop.perform { [flightRecorder] in flightRecorder.signLoop(question) }
        Self.pass(through: Self.priorities) { [flightRecorder] in flightRecorder.signPool(question) }
    }

    /// Calls a closure after a thread has been free for a task of each priority in turn.
    ///
    /// Dispatch has separate threads for each priority, and an effect runs at that of the thread that started it. Nothing awaits the
    /// next task, because that would raise its priority.
    private static func pass(
        through priorities: ArraySlice<TaskPriority>, _ arrive: @escaping @Sendable () -> Void
    ) {
        guard let priority = priorities.first else { return arrive() }
        Task.detached(priority: priority) { pass(through: priorities.dropFirst(), arrive) }
    }

    /// Reports calls that do not return, and missing signs.
    private func tell(_ now: ContinuousClock.Instant) {
        for notice in calls.look(at: flightRecorder, now: now) {
            switch notice {
            case .stuck(let call, let account, let time):
                StandardError.tell(
                    "\(account.sentence), and has not returned for \(time.inWholeSeconds); the host is waiting for it",
                    .warning
                ) { flightRecorder.stack(of: call) }
            case .over(let call, let time):
                let place = call.partition.map { " in partition \($0)" } ?? ""
                StandardError.tell(
                    "the call that had not returned\(place) resumed after \(time.inWholeSeconds)")
            }
        }
        guard !isSupervised else { return }
        for notice in signs.look(at: flightRecorder.signs, now: now) {
            switch notice {
            case .still(.pulse, _), .moves(.pulse, _): break
            case .still(let part, let time):
                StandardError.tell(
                    "\(part.words(flightRecorder)) for \(time.inWholeSeconds); the host is waiting", .warning)
            case .moves(let part, let time):
                StandardError.tell("\(part.name) again after \(time.inWholeSeconds)")
            }
        }
    }
}

extension SignWatch.Part {
    /// The sentence about a part that gives no sign, without the time at its end.
    func words(_ flightRecorder: FlightRecorder) -> String {
        switch self {
        case .loop: return "the event loop has not answered"
        case .pulse: return "the host has been unresponsive"
        case .pool:
            let busy = flightRecorder.busyInstances
            let whose = busy.isEmpty ? "" : " (effects of \(busy.joined(separator: ", ")) are running)"
            return "all task threads have been busy\(whose)"
        }
    }

    /// The beginning of the sentence about a part that gives signs again.
    var name: String {
        switch self {
        case .loop: "the event loop answers"
        case .pulse: "the host responds"
        case .pool: "tasks are running"
        }
    }
}

extension Duration {
    /// The time in whole seconds, such as `61 s`; the first second in tenths.
    var inWholeSeconds: String {
        let seconds = self / .seconds(1)
        return seconds < 1 ? "\((seconds * 10).rounded(.down) / 10) s" : "\(Int(seconds)) s"
    }
}
