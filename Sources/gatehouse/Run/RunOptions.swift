// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK

/// The options of `gatehouse run`.
struct RunOptions: Equatable {
    /// What to print on standard output.
    enum Print: String, CaseIterable {
        /// The final state, as one JSON object.
        case state
        /// Each action as it is processed, one JSON object a line.
        case actions
        /// Nothing is printed.
        case none
    }

    /// The path of the configuration file.
    var config = "plugins.json"
    /// The folder of plugins to run without a configuration file; nil for the file.
    var plugins: String?
    /// The input files, `-` for standard input; empty for the configured ones, or standard input if there are none.
    var inputs: [String] = []
    /// Files to follow, in addition to the configured ones.
    var tails: [String] = []
    /// Where to listen for writers, in addition to the configured places.
    var listen: [ListenConfiguration] = []
    /// The kind of result that is printed.
    var print = Print.state
    /// How lines become payloads; nil for the configured way.
    var wrap: LineWrap?
    /// How many lines may be rejected or refused; nil for any number short of all.
    var maximumRejected: RejectionLimit?
    /// Whether bad data, and files that their group may write to, end the run.
    var isStrict = false
    /// Whether to leave out plugins that are refused or missing instead of ending the run before it begins.
    var keepsGoing = false

    /// Whether to leave out actions that can no longer be read from the journal instead of ending the run before it begins.
    var acceptsLoss = false
    /// Whether the present configuration reduces the actions of generations that can no longer run here.
    var reducesWithPresent = false
    /// Whether a refused configuration ends a service, although the last good generation could run.
    var startsStrictly = false
    /// Whether to look at the configuration again when it, or a library, has changed.
    var watches = false
    /// Whether a parent watches the host, and restarts it when it dies.
    var isSupervised = false
    /// How long one call of a plugin's code may take before it is reported; zero for any time.
    var watchdog = Duration.seconds(10)
    /// Whether to measure the time of each action, and report it at the end.
    var isProfiled = false
    /// The name of the host for operators; nil for the configured one.
    var name: String?
    /// Whether clients can control the host; nil for the configured answer.
    var isControlled: Bool?

    /// How long effects may take to finish at the end.
    var grace = Duration.seconds(10)

    /// The options of a command line without options.
    init() {}

    /// Parses the arguments after `run`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let options = try OptionReader(arguments, of: CommandTable.run)
        config = options["--config"] ?? config
        plugins = options["--plugins"]
        inputs = options.list("--input")
        tails = options.list("--tail")
        listen = try options.list("--listen").map(Self.address)
        print = options["--print"].flatMap(Print.init(rawValue:)) ?? print
        isStrict = options["--strict"] != nil
        keepsGoing = options["--keep-going"] != nil
        acceptsLoss = options["--accept-loss"] != nil
        reducesWithPresent = options["--reduce-with-present"] != nil
        startsStrictly = options["--strict-start"] != nil
        watches = options["--watch"] != nil
        isProfiled = options["--profile"] != nil
        if let text = options["--grace"] {
            guard let seconds = Double(text), (0...86_400).contains(seconds) else {
                throw .invalidValue(
                    option: "--grace", found: text, expected: ["a number of seconds from 0 to 86400"])
            }
            grace = .seconds(seconds)
        }
        isSupervised = options["--supervise"] != nil
        if let text = options["--watchdog"] {
            guard let seconds = Double(text), (0...86_400).contains(seconds) else {
                throw .invalidValue(
                    option: "--watchdog", found: text, expected: ["a number of seconds from 0 to 86400"])
            }
            watchdog = .seconds(seconds)
        }
        name = options["--name"]
        if let name, !HostName.isName(name) {
            throw .malformedValue(
                option: "--name", found: name,
                expected: "at most 64 small letters, digits, \".\", \"_\" and \"-\"")
        }
        if options["--control"] != nil { isControlled = true }
        if options["--no-control"] != nil { isControlled = false }
        wrap = try Self.wrap(options)
        if let text = options["--max-rejected"] {
            maximumRejected = RejectionLimit(text)
            guard maximumRejected != nil else {
                throw .malformedValue(
                    option: "--max-rejected", found: text,
                    expected: "a number of lines such as 100, or a percentage such as 2%")
            }
        }
    }

    /// Whether the run lasts until it is ended: it listens for writers, follows files, or is a member of a cluster.
    func isService(_ configuration: HostConfiguration?) -> Bool {
        let ingress = configuration?.ingress
        return
            !(listen.isEmpty && tails.isEmpty && ingress?.listen.isEmpty != false
            && ingress?.tail.isEmpty != false)
            || inputs.isEmpty && configuration?.cluster != nil
    }

    /// Applies the options to a configuration.
    func adapt(_ outcome: ConfigurationOutcome) -> ConfigurationOutcome {
        let wrapped = wrap.map { outcome.wrapping($0) } ?? outcome
        return keepsGoing ? wrapped.keepingGoing : wrapped
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
        let type = options["--wrap"]
        guard let pointer = options["--wrap-at"] else {
            if let type, type.contains("*") {
                throw .malformedValue(
                    option: "--wrap", found: type, expected: "one action type, without \"*\"")
            }
            return type.map(LineWrap.type)
        }
        do {
            return .typeAt(try JSONPointer(pointer))
        } catch {
            throw .malformedValue(
                option: "--wrap-at", found: pointer, expected: "a JSON Pointer such as /event")
        }
    }
}
