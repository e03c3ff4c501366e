// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// Handles the signals that end a run, on the event loop, so that they work whatever the other threads do.
///
/// The first SIGINT or SIGTERM asks the run to end in good order; the second ends the process at once. The first SIGQUIT
/// does so with its core dump. SIGHUP asks for a look at the configuration.
@EventLoop
final class Signals {
    /// The request that the first signal makes.
    private nonisolated let stop: StopRequest
    /// The watch that wakes the loop when a signal arrives.
    private var watch: DescriptorWatch?
    /// Called at SIGHUP; nil before anything can be reloaded.
    private var onHangUp: (@EventLoop () -> Void)?
    /// Whether a signal has asked the run to end.
    private var hasAsked = false
    /// Whether SIGHUP arrived before that.
    private var isHungUp = false

    /// How long writing the waiting results, and then the last words, may take, in milliseconds each.
    private static let lastWords: Int32 = 250

    /// Handles signals from here on; call it on the main thread, before any other thread exists.
    nonisolated init(stop: StopRequest) {
        self.stop = stop
        let signals = gatehouse_signals_open()
        guard signals >= 0 else { return }
        EventLoop.perform { [self] in
            // This fails only for lack of memory; signals are then ignored.
            watch = try? DescriptorWatch(signals, for: .readable) { [weak self] _ in
                let number = gatehouse_signals_next(signals)
                if number > 0 { self?.take(number) }
            }
        }
    }

    /// Sets the handler of SIGHUP; calls it at once when SIGHUP arrived during the start.
    func onHangUp(_ body: @escaping @EventLoop () -> Void) {
        onHangUp = body
        tellHangUp()
    }

    // MARK: - Implementation details

    /// Calls the handler of SIGHUP, once there is one.
    private func tellHangUp() {
        guard isHungUp, let onHangUp else { return }
        isHungUp = false
        onHangUp()
    }

    /// Performs the action of a signal.
    private func take(_ number: Int32) {
        switch number {
        case SIGHUP:
            isHungUp = true
            tellHangUp()
        case SIGQUIT:
            end(by: number)
            gatehouse_announce_end(128 + number)
            gatehouse_end_by_signal(number)
        default:
            if hasAsked {
                end(by: number)
                gatehouse_announce_end(128 + number)
                _exit(128 + number)
            }
            hasAsked = true
            Self.write("gatehouse: signal \(number): no more input is read; a second signal ends at once")
            stop.ask(.signal(number))
        }
    }

    /// Writes the waiting results, if the readers take them, and the summary.
    private func end(by number: Int32) {
        let isWritten = gatehouse_output_rescue(Self.lastWords)
        var text = EndGuard.summary
        text += ", ended at once by signal \(number)"
        if !isWritten { text += ", printed results lost" }
        Self.write(text)
    }

    /// Writes lines to standard error, unless nobody reads it.
    private static func write(_ text: String) {
        let lines = text.split(separator: "\n").compactMap { StandardError.line(.lines(.info, String($0))) }
        let bytes = Array(lines.joined().utf8)
        _ = unsafe gatehouse_write_within(STDERR_FILENO, bytes, bytes.count, lastWords)
    }
}
