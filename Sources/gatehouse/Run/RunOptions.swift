// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK

/// The options of `gatehouse run`.
struct RunOptions {
    /// What to print on standard output.
    enum Print: String {
        /// The final state, as one JSON object.
        case state
        /// Each action as it is processed, one JSON object a line.
        case actions
        /// Nothing is printed.
        case none
    }

    /// What is read, beside what the configuration names.
    struct Inputs {
        /// Files, `-` for standard input; empty for the configured ones, or standard input if there are none.
        let files: [String]
        /// Files to follow.
        let tails: [String]
        /// Where to listen for writers.
        let listen: [ListenConfiguration]
    }

    /// What a start may leave out or replace, instead of ending the run before it begins.
    struct Leniency {
        /// Whether to leave out plugins that are refused or missing.
        let keepsGoing: Bool
        /// Whether to leave out actions that can no longer be read from the journal.
        let acceptsLoss: Bool
        /// Whether the present configuration reduces the actions of generations that can no longer run here.
        let reducesWithPresent: Bool
        /// Whether the last good generation of a service may run in place of a refused configuration.
        let fallsBack: Bool
    }

    /// The configuration, or the folder of plugins to run without one.
    let file: ConfigurationFile
    /// What is read.
    let inputs: Inputs
    /// What a start may leave out.
    let leniency: Leniency
    /// The kind of result that is printed.
    let print: Print
    /// How lines become payloads; nil for the configured way.
    let wrap: LineWrap?
    /// How many lines may be rejected or refused; nil for any number short of all.
    let maximumRejected: RejectionLimit?
    /// Whether bad data, and files that their group may write to, end the run.
    let isStrict: Bool
    /// Whether to look at the configuration again when it, or a library, has changed.
    let watches: Bool
    /// Whether a parent watches the host, and restarts it when it dies.
    let isSupervised: Bool
    /// How long one call of a plugin's code may take before it is reported; zero for any time.
    let watchdog: Duration
    /// Whether to measure the time of each action, and report it at the end.
    let isProfiled: Bool
    /// The name of the host for operators; nil for the configured one.
    let name: String?
    /// Whether clients can control the host; nil for the configured answer.
    let isControlled: Bool?
    /// The ids of instances whose workers wait for a debugger.
    let debugged: [String]
    /// How long effects may take to finish at the end.
    let grace: Duration

    /// Parses the arguments after `run`.
    init(_ options: OptionReader) throws(UsageError) {
        file = options.file
        var listen: [ListenConfiguration] = []
        for text in options.list("--listen") { listen.append(try Self.address(text)) }
        inputs = Inputs(files: options.list("--input"), tails: options.list("--tail"), listen: listen)
        leniency = Leniency(
            keepsGoing: options.has("--keep-going"), acceptsLoss: options.has("--accept-loss"),
            reducesWithPresent: options.has("--reduce-with-present"),
            fallsBack: !options.has("--strict-start"))
        print = options["--print"].flatMap(Print.init) ?? .state
        isStrict = options.has("--strict")
        watches = options.has("--watch")
        isProfiled = options.has("--profile")
        grace = try options.seconds("--grace")
        isSupervised = options.has("--supervise")
        debugged = options.list("--debug-worker")
        // A supervisor ends a host that waits.
        if isSupervised, !debugged.isEmpty { throw .exclusiveOptions("--supervise", "--debug-worker") }
        watchdog = try options.seconds("--watchdog")
        name = try options.value(
            "--name", expected: "at most 64 small letters, digits, \".\", \"_\" and \"-\""
        ) { HostName.isName($0) ? $0 : nil }
        isControlled = options.has("--control") ? true : options.has("--no-control") ? false : nil
        wrap = try Self.wrap(options)
        maximumRejected = try options.value(
            "--max-rejected", expected: "a number of lines such as 100, or a percentage such as 2%",
            RejectionLimit.init)
    }

    /// Whether the run lasts until it is ended: it listens for writers, follows files, or is a member of a cluster.
    func isService(_ configuration: HostConfiguration?) -> Bool {
        let ingress = configuration?.ingress
        let ends =
            inputs.listen.isEmpty && inputs.tails.isEmpty && ingress?.listen.isEmpty != false
            && ingress?.tail.isEmpty != false
        return !ends || inputs.files.isEmpty && configuration?.cluster != nil
    }

    /// Applies the options to a configuration.
    func adapt(_ outcome: ConfigurationOutcome) -> ConfigurationOutcome {
        let wrapped = wrap.map { outcome.wrapping($0) } ?? outcome
        return leniency.keepsGoing ? wrapped.keepingGoing : wrapped
    }

    /// Parses the address of a `--listen` option.
    private static func address(_ text: String) throws(UsageError) -> ListenConfiguration {
        do {
            return try ListenConfiguration(text)
        } catch {
            throw .malformedValue(option: "--listen", found: text, expected: error.expected)
        }
    }

    /// Parses the options about lines that are not actions.
    private static func wrap(_ options: OptionReader) throws(UsageError) -> LineWrap? {
        let pointer = try options.value("--wrap-at", expected: "a JSON Pointer such as /event") {
            (try? JSONPointer($0)).map(LineWrap.typeAt)
        }
        let type = try options.value("--wrap", expected: "one action type, without \"*\"") {
            $0.contains("*") ? nil : LineWrap.type($0)
        }
        return pointer ?? type
    }
}
