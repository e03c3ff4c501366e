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
    /// Whether one of them is standard input, from its beginning.
    private(set) var hasStandardInput = false
    /// Whether the process before has the files and pipes.
    private let isSuccessor: Bool

    /// Opens everything, or reports what cannot be opened.
    init(
        _ generation: FirstGeneration, _ configuration: RunConfiguration, _ context: RunContext
    ) throws(Ended) {
        isSuccessor = context.predecessor != nil
        do throws(Ended) {
            try open(
                context.options, generation.assembly.configuration, in: configuration.file.folder,
                context.handed)
        } catch {
            close()
            throw error
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
    ) throws(Ended) {
        let ingress = configuration.ingress
        for listen in options.inputs.listen { try self.listen(listen, in: ".", handed) }
        for listen in ingress.listen { try self.listen(listen, in: folder, handed) }
        let tails =
            options.inputs.tails.map { TailConfiguration($0) }
            + ingress.tail.map { TailConfiguration(Self.path($0.file, in: folder), input: $0.input) }
        for tail in tails { try follow(tail, rememberingIn: folder + "/data/host") }
        let files = options.inputs.files
        let readsTerminal = files.isEmpty && all.isEmpty && configuration.cluster == nil
        for file in readsTerminal ? ["-"] : files { try open(file) }
    }

    /// The sockets that this host has opened itself, for one that goes on for it.
    var own: [(descriptor: Int32, name: String)] {
        all.compactMap { input in
            guard case .listener(let socket) = input, socket.isOwn else { return nil }
            return (socket.descriptor, HandedSockets.ownName)
        }
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
    private func follow(_ tail: TailConfiguration, rememberingIn folder: String) throws(Ended) {
        do {
            all.append(.followed(try FollowedFile(tail.file, rememberingIn: folder, rules: tail.input)))
        } catch {
            throw Ended(
                .usage,
                "\(tail.file): its folder cannot be watched: \(error); name a file in an existing folder")
        }
    }

    /// Resolves a path of the configuration against its folder.
    static func path(_ path: String, in folder: String) -> String {
        path.hasPrefix("/") || folder == "." ? path : folder + "/" + path
    }

    /// Whether the run reads files or pipes to their ends.
    var readStreams: Bool { all.contains { if case .stream = $0 { true } else { false } } }

    /// Opens a file, or reports why it cannot be opened.
    private func open(_ path: String) throws(Ended) {
        guard !isSuccessor else {
            return all.append(.stream(nil, name: path == "-" ? Self.standardInput : path))
        }
        guard path != "-" else {
            hasStandardInput = true
            return all.append(.stream(STDIN_FILENO, name: Self.standardInput))
        }
        // Does not block on a pipe without a writer, which the run waits for like any other input.
        let file = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw Ended(.usage, "\(path): \(SystemReason.last); name the input with --input")
        }
        files.append(file)
        all.append(.stream(file, name: path))
    }

    /// The name of standard input.
    private static let standardInput = "standard input"

    /// Opens a socket that writers can connect to, or takes the one handed over; reports why there is none.
    private func listen(
        _ listen: ListenConfiguration, in folder: String, _ handed: HandedSockets
    ) throws(Ended) {
        do throws(ListeningError) {
            switch listen.place {
            case .path(let path):
                let path = Self.path(path, in: folder)
                let known = handed.socket(at: path, acknowledges: listen.acknowledges, rules: listen.input)
                let socket =
                    if let known { known } else {
                        try ListeningSocket(
                            path: path, mode: listen.mode, acknowledges: listen.acknowledges,
                            rules: listen.input)
                    }
                all.append(.listener(socket))
            case .handedOver(let name):
                all += try handed.sockets(name, acknowledges: listen.acknowledges, rules: listen.input)
                    .map(Input.listener)
            }
        } catch {
            throw Ended(.usage, "\(error)")
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
