// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehousePlan
internal import GatehouseRuntime

/// The name of a host, and where it can be controlled.
struct ControlPlace {
    /// The name by which operators call the host.
    let name: String
    /// The configured place of its control socket.
    private let configuration: ControlConfiguration
    /// Whether a socket was requested, so that the host must not start without it; a service always has one.
    private let isWanted: Bool
    /// The folder from which relative paths start.
    private let folder: String

    /// Combines command line and configuration. For a refused configuration, uses the last generation that ran with its journal,
    /// because a service may run that.
    init(options: RunOptions, file: ConfigurationFile, configuration outcome: ConfigurationOutcome) {
        folder = file.folder
        let configured = outcome.configuration ?? JournalPointer.last(beside: file.folder)?.configuration
        name = options.name ?? configured?.name ?? HostName.cleaned(file.folderName)
        switch (options.isControlled, configured?.control) {
        case (false, _), (nil, .off): configuration = .off
        case (true, .socket(let path)), (nil, .socket(let path)): configuration = .socket(path: path)
        case (true, _), (nil, .named): configuration = .named
        case (nil, nil): configuration = options.isService(configured) ? .named : .off
        }
        isWanted = options.isControlled == true || configured?.control != nil
    }

    /// Opens the socket, or takes that of the host before; nil when control is off, and, after a warning, when a socket nobody requested
    /// cannot be opened.
    func open(_ handed: HandedSockets) throws(ControlSocketError) -> ControlSocket? {
        do throws(ControlSocketError) {
            guard let path = try path() else { return nil }
            guard let socket = handed.controlSocket(at: path) else { return try ControlSocket(path: path) }
            return try ControlSocket(handedOver: socket, path: path)
        } catch {
            guard !isWanted else { throw error }
            StandardError.warn("nobody can control this host: \(error)")
            return nil
        }
    }

    /// The path of the socket; nil when control is off.
    private func path() throws(ControlSocketError) -> String? {
        switch configuration {
        case .off: nil
        case .named: try ControlFolder.path(forHost: name)
        case .socket(let path): path.hasPrefix("/") ? path : folder + "/" + path
        }
    }
}
