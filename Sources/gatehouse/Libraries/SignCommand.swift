// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// `gatehouse sign`: signs a library, or a list of what is withdrawn, by the program minisign.
struct SignCommand: ParsedCommand {
    /// The path of the file.
    private let path: String
    /// The file with the secret key; nil for the usual one of minisign.
    private let key: String?
    /// The order of the signer's releases.
    private let serial: Int
    /// Whether only to print what would be signed with the bytes.
    private let isDry: Bool

    init(options: OptionReader) throws(UsageError) {
        path = options.operands[0]
        key = options["--key"]
        // Whoever counts nothing has an order all the same.
        serial = try options.number("--serial", from: 0, expected: "a number from 0 on") ?? Int(UnixTime.now)
        isDry = options.has("--comment")
    }

    /// Signs the file, and prints what was signed.
    func run() throws(Ended) -> ExitCode {
        let subject: SigningSubject
        do throws(Diagnostic) {
            subject = try SigningSubject(path: path, serial: serial)
        } catch {
            throw Ended(.usage, "\(error)")
        }
        guard !isDry else {
            Results.writeLine(subject.comment.text)
            return .success
        }
        for doubt in subject.doubts {
            StandardError.tell("warning: this host would not load it whoever signs it: \(doubt)")
        }
        let words =
            ["minisign", "-S", "-x", subject.signaturePath, "-t", subject.comment.text, "-m", path]
            + (key.map { ["-s", $0] } ?? [])
        switch Self.status(of: words) {
        case nil:
            throw Ended(
                .unavailable,
                "there is no program minisign; install the package minisign, or sign with another one and the comment that gatehouse sign --comment prints"
            )
        case 0? where subject.isSigned:
            Results.writeLine("\(subject.signaturePath): \(subject.comment.text)")
            return .success
        default:
            throw Ended(.unavailable, "minisign has not signed \(Quotation.bare(path)); its words are above")
        }
    }

    /// Runs a program that may ask for a password at the terminal, with its words on standard error, and waits for its end.
    ///
    /// - Returns: the exit code, 255 for a signal; nil where there is no such program.
    private static func status(of words: [String]) -> Int32? {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var process = pid_t()
        guard unsafe posix_spawnp(&process, words[0], &actions, nil, &arguments, environ) == 0 else {
            return nil
        }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        // As the macros WIFEXITED and WEXITSTATUS do.
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 255
    }
}
