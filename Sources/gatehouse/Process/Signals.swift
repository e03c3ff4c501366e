// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseHost
internal import GatehouseSupport
private import Glibc

/// Takes the signals that end a run, on the event loop: whatever the other threads do, somebody listens.
///
/// The first SIGINT or SIGTERM asks the run to end in good order; the second ends the process at once. SIGQUIT does so the
/// first time, with the core dump that it stands for. SIGHUP asks for a look at the configuration.
@EventLoop
final class Signals {
    /// What the first signal asks.
    private nonisolated let stop: StopRequest
    /// The watch that wakes the loop when a signal arrives.
    private var watch: DescriptorWatch?
    /// Called at SIGHUP; nil before there is something to be reloaded.
    private var onHangUp: (@EventLoop () -> Void)?
    /// Whether SIGHUP came before that.
    private var isHungUp = false

    /// How long writing the last words may take together with the results that wait, in milliseconds each.
    private static let lastWords: Int32 = 250

    /// Takes the signals from here on; call it on the main thread, before any other thread exists.
    nonisolated init(stop: StopRequest) {
        self.stop = stop
        let signals = gatehouse_signals_open()
        guard signals >= 0 else { return }
        EventLoop.perform { [self] in
            // Only memory may be missing, and then nobody is told of anything.
            watch = try? DescriptorWatch(signals, for: .readable) { [weak self] _ in
                let number = gatehouse_signals_next(signals)
                if number > 0 { self?.take(number) }
            }
        }
    }

    /// Sets what SIGHUP does; does it at once when SIGHUP came during the start.
    func onHangUp(_ body: @escaping @EventLoop () -> Void) {
        onHangUp = body
        tellHangUp()
    }

    // MARK: - Implementation details

    /// Does what SIGHUP asked for, once it can be done.
    private func tellHangUp() {
        guard isHungUp, let onHangUp else { return }
        isHungUp = false
        onHangUp()
    }

    /// Does what a signal stands for.
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
            if case .signal = stop.reason {
                end(by: number)
                gatehouse_announce_end(128 + number)
                _exit(128 + number)
            }
            Self.write("gatehouse: signal \(number): no more input is read; a second signal ends at once")
            stop.ask(.signal(number))
        }
    }

    /// Writes what waits, if the readers take it, and the summary.
    private func end(by number: Int32) {
        let isWritten = gatehouse_output_rescue(Self.lastWords)
        var text = EndGuard.summary
        text += ", ended at once by signal \(number)"
        if !isWritten { text += ", printed results lost" }
        Self.write(text)
    }

    /// Writes a line to standard error, unless nobody takes it.
    private static func write(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = unsafe gatehouse_write_within(STDERR_FILENO, bytes, bytes.count, lastWords)
    }
}
