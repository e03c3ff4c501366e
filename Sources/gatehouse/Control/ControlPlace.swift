// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost

/// What a host is called, and where it can be controlled.
struct ControlPlace {
    /// The name by which operators call the host.
    let name: String
    /// Where its control socket is to be.
    private let configuration: ControlConfiguration
    /// Whether somebody asked for it, so that the host does not start without it; a service has one in any case.
    private let isWanted: Bool
    /// The folder from which relative paths start.
    private let folder: String

    /// What command line and configuration say together; of a configuration that is refused, what the generation said that ran last
    /// with its journal, because a service may run that.
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

    /// Listens there; nil where nobody is to control the host, and, after a warning, where nobody asked for it and nobody can.
    func open() throws(ControlSocketError) -> ControlSocket? {
        do {
            return try listen()
        } catch {
            guard !isWanted else { throw error }
            StandardError.writeLine("gatehouse: warning: nobody can control this host: \(error)")
            return nil
        }
    }

    /// Opens the socket at this place; nil where there is to be none.
    private func listen() throws(ControlSocketError) -> ControlSocket? {
        switch configuration {
        case .off: return nil
        case .named: return try ControlSocket(path: try ControlFolder.path(forHost: name))
        case .socket(let path):
            return try ControlSocket(path: path.hasPrefix("/") ? path : folder + "/" + path)
        }
    }
}
