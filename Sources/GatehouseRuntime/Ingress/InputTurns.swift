// SPDX-License-Identifier: Apache-2.0

private import Dispatch
internal import GatehouseSupport
private import Glibc

/// Gives turns to the inputs of a run; belongs to the thread that dispatches.
package final class InputTurns {
    /// Reports which inputs can be read.
    private let ready: ReadyInputs
    /// The open inputs, by number.
    private var open: [Int: OpenInput] = [:]
    /// The inputs with the next turns, in order.
    private var next: [OpenInput] = []
    /// The number of files and pipes that have not ended.
    private var unfinished = 0
    /// The listeners, which never end by themselves.
    private var listeners: [(listener: Listener, socket: ListeningSocket, account: InputAccount)] = []
    /// The followed files, by number, until they are open.
    private var followed: [Int: FollowedFile] = [:]
    /// On which terms all are read.
    private let terms: ReadingTerms
    /// Receives reports of problems.
    private let reports: Reporter

    /// Opens inputs; each has its first turn when it can be read.
    ///
    /// - Parameter handed: what another process has handed over; what is not among the inputs is closed, and reported.
    package init(
        _ inputs: [Input], _ accounts: [InputAccount], goingOnWith handed: [HandedConnection] = [],
        of host: Host
    ) {
        ready = host.ready
        terms = host.readingTerms
        reports = host.reports
        var streams = 0
        for (input, account) in zip(inputs, accounts) {
            switch input {
            case .stream(let descriptor, let name):
                let begun = handed.first { $0.isStream && $0.number == streams }
                if let descriptor = begun?.descriptor ?? descriptor {
                    watch(descriptor, name, account, number: streams, begun)
                }
                streams += 1
            case .listener(let socket):
                let listener = Listener(socket, account, ready: ready, reports: reports)
                listeners.append((listener, socket, account))
                let connections = handed.filter { !$0.isStream && $0.socket == "\(socket)" }
                EventLoop.perform {
                    for connection in connections { listener.adopt(connection) }
                    listener.start()
                }
            case .followed(let file):
                follow(file, account)
            }
        }
        let sockets = Set(listeners.map { "\($0.socket)" })
        for connection in handed {
            if connection.isStream {
                // There is a copy of one that is read.
                Glibc.close(connection.descriptor)
                guard connection.number >= streams else { continue }
                reports.send(
                    .lostInput("\(connection.socket): this host does not read it any more; its rest was left")
                )
            } else if !sockets.contains(connection.socket) {
                Glibc.close(connection.descriptor)
                reports.send(
                    .lostInput(
                        "\(connection.socket): this host does not listen there any more; a connection was closed"
                    )
                )
            }
        }
    }

    /// Whether all inputs have ended, and none can come.
    package var areOver: Bool { unfinished == 0 && listeners.isEmpty && followed.isEmpty }

    /// All open inputs, in the order of their numbers.
    package var all: [OpenInput] { open.values.sorted { $0.opened.number < $1.opened.number } }

    /// Returns the inputs that have a turn, each once; empty when there is nothing to read.
    package func takeRound() -> [OpenInput] {
        takeEvents()
        defer { next = [] }
        return next
    }

    /// Takes note of inputs that were opened, and of those that can be read.
    private func takeEvents() {
        for event in ready.take() {
            switch event {
            case .opened(let opened):
                let file = followed[opened.number]
                let input = OpenInput(opened, following: file, on: terms)
                open[opened.number] = input
                opened.account.connect()
                if opened.watch == nil || file != nil || opened.handed != nil { next.append(input) }
            case .ready(let number):
                if let input = open[number] { next.append(input) }
            }
        }
    }

    /// Gives an input another turn after the others.
    package func giveTurn(to input: OpenInput) { next.append(input) }

    /// Closes an input that is finished.
    package func end(_ input: OpenInput) {
        guard open.removeValue(forKey: input.opened.number) != nil else { return }
        if case .shared = input.opened.kind { unfinished -= 1 }
        input.opened.account.end()
        input.close()
    }

    /// Lets new writers wait for whoever goes on, this process or another one; those that were accepted are known when this returns.
    func hold() {
        onLoop { listeners in for listener in listeners { listener.hold() } }
        takeEvents()
    }

    /// Goes on accepting after `hold`.
    func goOn() { onLoop { listeners in for listener in listeners { listener.goOn() } } }

    /// Does something with the listeners on the loop, and waits until it is done.
    private func onLoop(_ body: @escaping @EventLoop @Sendable ([Listener]) -> Void) {
        let done = DispatchSemaphore(value: 0)
        EventLoop.perform { [listeners = listeners.map(\.listener)] in
            body(listeners)
            done.signal()
        }
        done.wait()
    }

    /// The connections, and the files and pipes, as they are, for another process that goes on with them; nothing of them changes here.
    var handed: [HandedConnection] {
        all.compactMap { input in
            let opened = input.opened
            switch opened.kind {
            case .connection:
                guard let socket = listeners.first(where: { $0.account === opened.account })?.socket else {
                    return nil
                }
                return HandedConnection(
                    descriptor: opened.descriptor, socket: "\(socket)", number: opened.place,
                    place: input.lines.place, answers: input.answers, isRead: input.isRead)
            case .shared:
                return HandedConnection(
                    stream: opened.descriptor, named: opened.name, number: opened.place, at: input.lines.place
                )
            case .awaited, .growing: return nil
            }
        }
    }

    /// Saves how far files are read, for another process that goes on with them; returns why that failed for one of them.
    func savePlaces() -> String? {
        for input in all { if let failure = input.file?.save() { return failure } }
        return nil
    }

    /// Lets go of all inputs, which another process reads from here on.
    package func leave() {
        for (listener, _, _) in listeners { EventLoop.perform { listener.stop() } }
        listeners = []
        for input in open.values { input.close() }
        open = [:]
    }

    /// Closes all inputs and listeners.
    package func close() {
        for (listener, socket, _) in listeners {
            socket.remove()
            EventLoop.perform { listener.stop() }
        }
        listeners = []
        _ = takeRound()
        for input in open.values {
            if let failure = input.file?.end() { reports.send(.lostInput(failure)) }
            input.close()
        }
        open = [:]
    }

    /// Watches the folder of a file.
    private func follow(_ file: FollowedFile, _ account: InputAccount) {
        let number = ready.nextNumber()
        followed[number] = file
        EventLoop.perform { [ready, reports, changes = file.changes, name = file.name] in
            do throws(SystemFailure) {
                let watch = try ready.watch(changes.descriptor, number) { changes.take() }
                ready.add(
                    .opened(
                        OpenedInput(
                            number: number, descriptor: -1, name: name, kind: .growing, acknowledges: false,
                            account: account, watch: watch
                        ) {
                            watch.cancel()
                            changes.close()
                        }))
            } catch {
                reports.send(
                    .lostInput("\(name): its folder cannot be watched: \(error); start the host again"))
            }
        }
    }

    /// Watches a copy of a descriptor, which the loop can close in its own time.
    ///
    /// - Parameters:
    ///   - place: its place among the files and pipes.
    ///   - handed: how far the process before has read it; nil for one that it has not read.
    private func watch(
        _ descriptor: Int32, _ name: String, _ account: InputAccount, number place: Int,
        _ handed: HandedConnection?
    ) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else {
            return reports.send(
                .lostInput("\(name): cannot be read: \(SystemReason.last); raise the limit with ulimit -n"))
        }
        unfinished += 1
        let number = ready.nextNumber()
        EventLoop.perform { [ready] in
            // A regular file cannot be waited for: it is always ready.
            let watch = try? ready.watch(copy, number)
            ready.add(
                .opened(
                    OpenedInput(
                        number: number, descriptor: copy, name: name, kind: .shared, acknowledges: false,
                        place: place, handed: handed, account: account, watch: watch
                    ) {
                        watch?.cancel()
                        Glibc.close(copy)
                    }))
        }
    }
}
