// SPDX-License-Identifier: Apache-2.0

public import Gatehouse
public import GatehouseSDK
public import GatehouseValue

/// A plugin as the host makes it: through its exports, with its settings decoded from what an operator writes, its interceptor if
/// it has one, and everything it emits in wire form on the way. There is no library and no lift: local names are global names.
extension TestStore {
    /// A test of an instance of a plugin, called `test`.
    ///
    /// - Parameters:
    ///   - plugin: the plugin's type.
    ///   - settings: what an operator writes; what is left out has its default.
    ///   - kept: the state that the instance goes on from, in JSON as a host keeps it; nil for the initial state.
    ///   - version: the version of that state's form, from which a `MigratingPlugin` makes the present one; nil for the present
    ///     one.
    ///   - clock: what the plugin is granted as `clock`; nil for an instance without.
    ///   - unixTime: the seconds since 1970 at which the clock begins; 0 unless given, as in a case of `gatehouse test`.
    ///   - dataDirectory: the folder that the plugin is granted; nil for none.
    ///   - hostState: what the plugin is granted as `state`; nil for nothing.
    ///   - ingress: what the plugin is granted as `ingress`; nil for nothing.
    ///   - control: what the plugin is granted as `control`; nil for nothing.
    ///   - status: takes the health and the numbers that the plugin tells.
    ///   - minimum: the least level of log lines that is kept in `log`.
    ///   - file: where the test begins, for what is told when it forgets `finish`.
    ///   - line: the line there.
    /// - Throws: `CodingFailure` when the settings or the kept state do not fit.
    public convenience init<P: Plugin>(
        _ plugin: P.Type, settings: Value = [:], restoring kept: Value? = nil,
        ofVersion version: Int? = nil, clock: ManualClock? = ManualClock(),
        unixTime: Double = 0, dataDirectory: String? = nil, hostState: HostStateReader? = nil,
        ingress: HostIngress? = nil, control: HostControl? = nil, status: PluginStatus = PluginStatus(),
        minimum: PluginLog.Level = .debug, file: String = #fileID, line: UInt = #line
    ) throws where Action == P.Action, State == P.State {
        let executor = TestExecutor()
        let inbox = TestInbox<Action, State> { executor.notify() }
        let services = HostServices(
            instance: "test", log: PluginLog(minimum: minimum) { inbox.note(line: "\($0): \($1)") },
            clock: clock.map { clock in
                HostClock(clock: clock) { unixTime + clock.now.offset / .seconds(1) }
            },
            dataDirectory: dataDirectory, state: hostState, ingress: ingress, control: control,
            status: status)
        let subject = try TestSubject(
            plugin, settings: settings, restoring: kept.map { ($0, version) }, services: services,
            executor: executor, inbox: inbox)
        self.init(
            subject, clock: clock ?? ManualClock(), executor: executor, inbox: inbox,
            at: TestPlace(file: file, line: line))
    }
}

extension TestStore where Action: PluginAction {
    /// Dispatches an action in wire form, `["type": "hello", "payload": ["name": "Ada"]]`, as it comes from outside; see `send`.
    ///
    /// One that the plugin does not read is sent all the same, and told as a problem.
    ///
    /// - Throws: also why the value is no action.
    public func send(
        wire: Value, file: String = #fileID, function: String = #function, line: UInt = #line,
        _ change: (inout State) throws -> Void = { _ in }
    ) throws {
        let source = ActionSource(file: file, function: function, line: line, info: nil)
        try send(wire: wire, from: source, file: file, line: line, change)
    }

    /// The same on behalf of another place, which is what middlewares are told.
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

    /// The wire forms of all that was emitted since the last that was received; see `takeEmitted`.
    ///
    /// - Throws: `CodingFailure` for an action that cannot be written.
    public func takeWire() throws -> [Value] { try takeEntries().compactMap { try $0.wire?.get() } }
}
