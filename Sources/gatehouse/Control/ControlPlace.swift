// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost

/// What a host is called, and where it can be controlled.
struct ControlPlace {
    /// What operators call it.
    let name: String
    /// Where its control socket is to be; nil for no control.
    private let configuration: ControlConfiguration?
    /// Whether the run goes on without a socket that cannot be had.
    private let folder: String

    /// What command line and configuration say together.
    init(options: RunOptions, file: ConfigurationFile, configuration outcome: ConfigurationOutcome) {
        folder = file.folder
        let configured = outcome.configuration
        name = options.name ?? configured?.name ?? HostName.cleaned(file.folderName)
        switch (options.isControlled, configured?.control) {
        case (false, _), (nil, nil), (nil, .off): configuration = nil
        case (true, .socket(let path)), (nil, .socket(let path)): configuration = .socket(path: path)
        case (true, _), (nil, .named): configuration = .named
        }
    }

    /// Listens there; nil where nobody is to control the host.
    func open() throws(ControlSocketError) -> ControlSocket? {
        switch configuration {
        case nil, .off: return nil
        case .named: return try ControlSocket(path: try ControlFolder.path(forHost: name))
        case .socket(let path):
            return try ControlSocket(path: path.hasPrefix("/") ? path : folder + "/" + path)
        }
    }
}
