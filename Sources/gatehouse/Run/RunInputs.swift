// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSupport
private import Glibc

/// The inputs of a run: those that the command line names, and the configured listeners and followed files.
final class RunInputs: RunComponent {
    /// The inputs that the run reads.
    private(set) var all: [Input] = []
    /// Files that this opened.
    private var files: [Int32] = []
    /// Whether one of them is standard input.
    private(set) var hasStandardInput = false

    /// Opens everything, or reports what cannot be opened.
    init(
        _ generation: FirstGeneration, _ configuration: RunConfiguration, _ context: RunContext
    ) throws(Ended) {
        let isOpen = open(
            context.options, generation.assembly.configuration, in: configuration.file.folder, context.handed)
        guard isOpen else {
            close()
            throw Ended(code: .usage)
        }
    }

    /// Opens everything, up to the first that cannot be opened, which it reports.
    ///
    /// Without a named input, reads standard input; a member of a cluster then reads nothing.
    ///
    /// - Parameter folder: where relative paths of the configuration start.
    private func open(
        _ options: RunOptions, _ configuration: HostConfiguration, in folder: String,
        _ handed: HandedSockets
    ) -> Bool {
        let ingress = configuration.ingress
        do {
            for listen in options.inputs.listen { try self.listen(listen, in: ".", handed) }
            for listen in ingress.listen { try self.listen(listen, in: folder, handed) }
        } catch {
            StandardError.tell("\(error)")
            return false
        }
        let tails =
            options.inputs.tails.map { TailConfiguration($0) }
            + ingress.tail.map { TailConfiguration(Self.path($0.file, in: folder), input: $0.input) }
        guard tails.allSatisfy({ follow($0, rememberingIn: folder + "/data/host") }) else { return false }
        let readsTerminal = options.inputs.files.isEmpty && all.isEmpty && configuration.cluster == nil
        return (readsTerminal ? ["-"] : options.inputs.files).allSatisfy { open($0) }
    }

    /// Reports where writers can connect, and which files are followed.
    func ready() {
        for input in all {
            switch input {
            case .listener(let socket): StandardError.tell("listening at \(socket)")
            case .followed(let file): StandardError.tell("following \(file.name)")
            case .stream: break
            }
        }
    }

    /// Follows a file, or reports why it cannot be followed.
    private func follow(_ tail: TailConfiguration, rememberingIn folder: String) -> Bool {
        do {
            all.append(
                .followed(try FollowedFile(tail.file, rememberingIn: folder, rules: tail.input)))
            return true
        } catch {
            StandardError.tell(
                "\(tail.file): its folder cannot be watched: \(error); name a file in an existing folder"
            )
            return false
        }
    }

    /// Resolves a path of the configuration against its folder.
    static func path(_ path: String, in folder: String) -> String {
        path.hasPrefix("/") || folder == "." ? path : folder + "/" + path
    }

    /// Opens a file, or reports why it cannot be opened.
    private func open(_ path: String) -> Bool {
        guard path != "-" else {
            hasStandardInput = true
            all.append(.stream(STDIN_FILENO, name: "standard input"))
            return true
        }
        // Does not block on a pipe without a writer, which the run waits for like any other input.
        let file = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            StandardError.tell("\(path): \(SystemReason.last); name the input with --input")
            return false
        }
        files.append(file)
        all.append(.stream(file, name: path))
        return true
    }

    /// Opens a socket that writers can connect to, or takes the one handed over.
    private func listen(
        _ listen: ListenConfiguration, in folder: String, _ handed: HandedSockets
    ) throws(ListeningError) {
        switch listen.place {
        case .path(let path):
            let path = Self.path(path, in: folder)
            let socket = handed.socket(
                at: path, acknowledges: listen.acknowledges, rules: listen.input)
            if let socket {
                all.append(.listener(socket))
            } else {
                all.append(
                    .listener(
                        try ListeningSocket(
                            path: path, mode: listen.mode, acknowledges: listen.acknowledges,
                            rules: listen.input)))
            }
        case .handedOver(let name):
            all += try handed.sockets(name, acknowledges: listen.acknowledges, rules: listen.input)
                .map(Input.listener)
        }
    }

    /// Closes the opened files, and removes the sockets; called when the run is over, and does nothing the second time.
    func close() {
        for file in files { Glibc.close(file) }
        for case .listener(let socket) in all { socket.remove() }
        (files, all) = ([], [])
    }

    func stop(_ code: ExitCode) -> ExitCode {
        close()
        return code
    }
}
