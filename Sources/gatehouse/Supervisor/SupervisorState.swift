// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport
internal import Glibc

/// What a supervisor leaves to the program that takes its place in the same process, in a variable of the environment.
struct SupervisorState {
    /// The host's process.
    let host: pid_t
    /// The file of its flight recorder.
    let flightRecorder: Int32
    /// The socket that receives its messages.
    let relay: Int32
    /// How often a host was restarted.
    let restarts: Int
    /// The sockets that hosts get, by name.
    let sockets: [(descriptor: Int32, name: String)]

    /// The variable.
    private static let variable = "GATEHOUSE_SUPERVISOR"

    /// Takes what the program before has left; nil for the first one. Called once, before any other thread exists.
    static func take() -> SupervisorState? {
        defer { _ = unsafe unsetenv(variable) }
        guard let text = SystemFile.variable(variable), let value = try? JSONText.parse(Array(text.utf8)),
            value["process"]?.intValue == Int(getpid()), let state = SupervisorState(value)
        else { return nil }
        state.keep(false)
        return state
    }

    /// Creates a state.
    init(
        host: pid_t, flightRecorder: Int32, relay: Int32, restarts: Int,
        sockets: [(descriptor: Int32, name: String)]
    ) {
        (self.host, self.flightRecorder, self.relay) = (host, flightRecorder, relay)
        (self.restarts, self.sockets) = (restarts, sockets)
    }

    /// Reads a state; nil for anything else.
    private init?(_ value: Value) {
        guard let host = value["host"]?.intValue, let recorder = value["recorder"]?.intValue,
            let relay = value["relay"]?.intValue, let restarts = value["restarts"]?.intValue,
            let names = value["sockets"]?.objectValue
        else { return nil }
        self.init(
            host: pid_t(truncatingIfNeeded: host), flightRecorder: Int32(truncatingIfNeeded: recorder),
            relay: Int32(truncatingIfNeeded: relay), restarts: restarts,
            sockets: names.compactMap { member in
                Int32(member.key).map { (descriptor: $0, name: member.value.stringValue ?? "") }
            })
    }

    /// Executes a program in place of this one; returns only when that fails, with the system's reason.
    func execute(_ program: String) -> SystemFailure {
        let names = sockets.map { ("\($0.descriptor)", Value.string($0.name)) }
        let value: Value = [
            "process": Value(getpid()), "host": Value(host), "recorder": Value(flightRecorder),
            "relay": Value(relay), "restarts": Value(restarts), "sockets": .object(Members(names)),
        ]
        let variables = SystemFile.environment + ["\(Self.variable)=\(value.json())"]
        keep(true)
        defer { keep(false) }
        return ProgramExecution.execute(program, in: variables)
    }

    /// Whether the program that is executed next gets the descriptors.
    private func keep(_ isKept: Bool) {
        for descriptor in sockets.map(\.descriptor) + [flightRecorder, relay] {
            _ = fcntl(descriptor, F_SETFD, isKept ? 0 : FD_CLOEXEC)
        }
    }
}
