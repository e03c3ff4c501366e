// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseSDK
internal import GatehouseSupport

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
        switch OtherProgram.status(of: words) {
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
}
