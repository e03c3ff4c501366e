// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseReload
internal import GatehouseRuntime
private import GatehouseSDK
internal import GatehouseSupport
private import Glibc
private import Synchronization

/// The setup of a process for a run: handles signals, writes results, and captures what plugins print.
///
/// Create it once, on the main thread before any other thread exists.
final class RunProcess {
    /// Asks the run to end.
    let stop: StopRequest
    /// Writes the results.
    let output: StandardOutput
    /// The watch over signals.
    let signals: Signals
    /// Captures what plugins print.
    private let words: PluginOutput
    /// Keeps reports that were only counted.
    private let reports: Reporter
    /// Names the plugin that prints.
    private let speaker: Speaker

    /// The name under which captured lines are reported.
    private final class Speaker: Sendable {
        /// The present name.
        private let name = Mutex("a plugin")

        /// The present name; a generic one until an instance is known.
        var current: String {
            get { name.withLock { $0 } }
            set { name.withLock { $0 = newValue } }
        }
    }

    /// Prepares the process; plugins may be loaded from here on.
    ///
    /// - Parameter reports: receives what plugins print.
    init(reports: Reporter) {
        _ = gatehouse_outlive(SIGPIPE)
        let stop = StopRequest()
        let speaker = Speaker()
        signals = Signals(stop: stop)
        words = PluginOutput { reports.send(.log(.info, instance: speaker.current, line: $0)) }
        output = StandardOutput(descriptor: words.results, stop: stop)
        self.stop = stop
        self.reports = reports
        self.speaker = speaker
        EndGuard.begin()
        gatehouse_tell_crashes()
    }

    /// Lets a premature end report the progress of the run, and the instance whose code runs.
    ///
    /// - Parameter flightRecorder: covers all stores of the process.
    func watch(_ host: Host, _ flightRecorder: FlightRecorder) {
        let summary: @Sendable () -> String = { [reports, progress = host.progress] in
            (reports.takeRest().map(\.description) + [SummaryLine.text(progress)]).map(Quotation.message)
                .joined(separator: "\n")
        }
        EndGuard.tell {
            $0.summary = summary
            $0.instance = { flightRecorder.instanceHere }
        }
        // Lines arrive through a pipe, too late to know which of several instances printed them.
        if host.instanceIDs.count == 1 { speaker.current = host.instanceIDs[0] }
    }

    /// The standard output that this process was started with.
    var results: Int32 { words.results }

    /// Reloads the configuration from here on when asked to by the action `host/reload`, or when files change.
    ///
    /// - Parameter watched: also reloads when this has changed; nil to wait for a request.
    func follow(
        _ host: Host, with reloader: Reloader, watching watched: (file: ConfigurationFile, known: FileStamps)?
    ) {
        host.onReload { EventLoop.perform { reloader.reload(.action) } }
        EventLoop.perform {
            if let (file, known) = watched {
                reloader.follow(file: file.isFolder ? nil : file.path, base: file.folder, known: known)
            }
        }
    }

    /// Waits until everything that plugins have printed so far is reported.
    func tellWords() { words.catchUp() }

    /// Declares that from here on the host itself ends the process.
    func end() {
        words.catchUp()
        EndGuard.finish()
    }
}
