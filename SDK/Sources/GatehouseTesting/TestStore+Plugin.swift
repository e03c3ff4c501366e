// SPDX-License-Identifier: Apache-2.0

public import Gatehouse
public import GatehouseSDK
public import GatehouseValue

/// Tests of a plugin as the host creates it.
///
/// The plugin is made through its exports, with its settings decoded from an operator's JSON, and its interceptor if it has
/// one; all its emissions are converted to wire form. There is no library and no lift: local names are global names.
extension TestStore {
    /// Creates a test of an instance of a plugin, called `test`.
    ///
    /// - Parameters:
    ///   - plugin: the plugin's type.
    ///   - settings: the operator's settings; omitted ones have their defaults.
    ///   - kept: the state that the instance resumes from, in JSON as a host keeps it; nil for the initial state.
    ///   - version: the version of that state's form, from which a `MigratingPlugin` makes the present one; nil for the present
    ///     one.
    ///   - clock: granted to the plugin as `clock`; nil for an instance without.
    ///   - services: the other services of the host.
    ///   - placement: where an operator is to run the instance.
    ///   - file: the file where the test begins, for the report of a missing `finish`.
    ///   - line: the line there.
    /// - Throws: `CodingFailure` if the settings or the kept state do not fit, and `TestFailure` if the instance cannot run where it is
    ///   to.
    public convenience init<P: Plugin>(
        _ plugin: P.Type, settings: Value = [:], restoring kept: Value? = nil,
        ofVersion version: Int? = nil, clock: ManualClock? = ManualClock(),
        services granted: TestServices = TestServices(), placement: TestPlacement = .host,
        file: String = #fileID, line: UInt = #line
    ) throws where Action == P.Action, State == P.State {
        let place = TestPlace(file: file, line: line)
        if let obstacle = placement.obstacle(intercepting: P.self is any InterceptingPlugin.Type, granted) {
            throw TestFailure(obstacle, at: place)
        }
        let inbox = TestInbox<Action, State>()
        let services = HostServices(
            instance: "test", log: PluginLog(minimum: granted.minimum) { inbox.note(line: "\($0): \($1)") },
            clock: clock.map { clock in
                HostClock(clock: clock) { granted.unixTime + clock.now.offset / .seconds(1) }
            },
            dataDirectory: granted.dataDirectory, state: granted.state, ingress: granted.ingress,
            control: granted.control, status: granted.status
        ).hosted(network: granted.network)
        let subject = try TestSubject(
            plugin, settings: settings, restoring: kept.map { ($0, version) }, services: services,
            placement: placement, inbox: inbox)
        self.init(
            subject, clock: clock ?? ManualClock(), inbox: inbox, at: place)
    }
}

extension TestStore where Action: PluginAction {
    /// Dispatches an action in wire form, `["type": "hello", "payload": ["name": "Ada"]]`, as if from outside; see `send`.
    ///
    /// An action that the plugin cannot read is sent all the same, and reported as a problem.
    ///
    /// - Throws: also if the value is not an action.
    public func send(
        wire: Value, file: String = #fileID, function: String = #function, line: UInt = #line,
        _ change: (inout State) throws -> Void = { _ in }
    ) throws {
        let source = ActionSource(file: file, function: function, line: line, info: nil)
        try send(wire: wire, from: source, file: file, line: line, change)
    }

    /// Dispatches an action in wire form on behalf of another place, its source for middlewares.
    public func send(
        wire: Value, from source: ActionSource, file: String = #fileID, line: UInt = #line,
        _ change: (inout State) throws -> Void = { _ in }
    ) throws {
        let action = try wire.decode(AnyAction.self)
        try send(wire.json(), from: source, at: TestPlace(file: file, line: line), change) {
            subject.dispatchWire?(action, source)
        }
    }

    /// Waits for the next emitted action and compares its wire form; see `receive`.
    public nonisolated(nonsending) func receive(
        wire: Value, file: String = #fileID, line: UInt = #line,
        _ change: (inout State) throws -> Void = { _ in }
    ) async throws {
        _ = try await receive(
            expecting: wire.json(), at: TestPlace(file: file, line: line),
            { (try? $0.wire?.get()) == wire }, change)
    }

    /// Takes the wire forms of all actions emitted since the last received one; see `takeEmitted`.
    ///
    /// - Throws: `CodingFailure` for an action that cannot be written.
    public func takeWire() throws -> [Value] { try takeEntries().compactMap { try $0.wire?.get() } }
}
