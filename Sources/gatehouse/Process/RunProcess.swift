// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseHost
private import GatehouseSDK
internal import GatehouseSupport
private import Glibc
private import Synchronization

/// What a process needs around a run: signals, results that are not lost, words of plugins in their place.
///
/// Made on the main thread before any other thread exists, and once.
final class RunProcess {
    /// Asks the run to end.
    let stop: StopRequest
    /// The writer that takes results.
    let output: StandardOutput
    /// The watch over signals.
    private let signals: Signals
    /// Takes what plugins print.
    private let words: PluginOutput
    /// Knows what was only counted.
    private let reports: ReportDesk
    /// Whose words they are.
    private let speaker: Speaker

    /// Who is named as the one that printed.
    private final class Speaker: Sendable {
        /// The name that is used.
        private let name = Mutex("a plugin")

        /// The name that is used; as long as nobody is known, no name.
        var current: String {
            get { name.withLock { $0 } }
            set { name.withLock { $0 = newValue } }
        }
    }

    /// Prepares the process; plugins may be loaded from here on.
    ///
    /// - Parameter reports: told what plugins print.
    init(reports: ReportDesk) {
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

    /// Knows from here on what the run has done so far, and whose code runs.
    ///
    /// - Parameter box: knows of all stores of the process.
    func watch(_ host: Host, _ box: BlackBox) {
        let summary: @Sendable () -> String = { [reports, progress = host.progress] in
            (reports.takeRest().map(\.description) + [SummaryLine.text(progress)]).map(Quotation.message)
                .joined(separator: "\n")
        }
        EndGuard.tell {
            $0.summary = summary
            $0.instance = { box.instanceHere }
        }
        // Words come through a pipe, too late to tell which of several instances printed them.
        if host.instanceIDs.count == 1 { speaker.current = host.instanceIDs[0] }
    }

    /// Looks at the configuration again from here on when it is asked to: by SIGHUP, or by the action `host/reload`.
    ///
    /// - Parameter watched: looks at it too when this has changed since; nil to wait until somebody asks.
    func follow(
        _ host: Host, with reloader: Reloader, watching watched: (file: ConfigurationFile, known: FileStamps)?
    ) {
        host.onReload { EventLoop.perform { reloader.reload(.action) } }
        EventLoop.perform { [signals] in
            signals.onHangUp { reloader.reload(.signal) }
            if let (file, known) = watched {
                reloader.follow(file: file.isFolder ? nil : file.path, base: file.folder, known: known)
            }
        }
    }

    /// Waits until everything that plugins printed so far is told.
    func tellWords() { words.catchUp() }

    /// The process ends from here on because the host wants it to.
    func end() {
        words.catchUp()
        EndGuard.finish()
    }
}
