// SPDX-License-Identifier: Apache-2.0

private import CSecret
internal import GatehouseManifest
internal import GatehouseSDK
internal import GatehouseSupport
internal import Glibc

/// Looks at the files of secrets that settings name, as the plugins that read them do: a plugin without its secret starts, and
/// then serves nobody.
///
/// Only for who asks before a start, because the answer depends on the user, the folder and the time of the question.
struct SecretReview {
    /// The folder with the credentials of a service; nil outside of one.
    let credentials: String?

    /// What is wrong with the secrets of an instance, each with its place in the configuration.
    func diagnostics(of instance: PlannedInstance) -> [Diagnostic] {
        guard let schema = instance.manifest.settings else { return [] }
        return SettingsFiles(instance.entry.settings, by: schema).all.compactMap { file in
            guard file.content == .secret, let sentence = sentence(about: file.path) else { return nil }
            return instance.diagnostic(.warning, at: ["settings"] + file.pointer.tokens, sentence)
        }
    }

    /// What is wrong with one file; nil for nothing.
    private func sentence(about path: String) -> String? {
        let inCredentials = path.hasPrefix("/") ? nil : credentials.map { $0 + "/" + path }
        let place = inCredentials.flatMap { unsafe access($0, F_OK) == 0 ? $0 : nil } ?? path
        let quoted = Quotation.of(place)
        var words = [CChar](repeating: 0, count: Int(gatehouse_secret_words))
        var stamp = gatehouse_secret_stamp()
        let file = unsafe gatehouse_secret_open(place, true, &stamp, &words)
        if Int(file) == Int(gatehouse_secret_missing) {
            return path.hasPrefix("/")
                ? "there is no secret \(quoted); write it there"
                : "there is no secret \(quoted) in this folder, nor in $CREDENTIALS_DIRECTORY; write it there, or give it to the service as a credential"
        }
        guard file >= 0 else { return "the secret \(quoted) is refused: \(Self.text(words))" }
        defer { close(file) }
        var bytes = [CChar](repeating: 0, count: Self.longest + 1)
        let count = unsafe gatehouse_secret_read(file, &bytes, bytes.count, &words)
        guard count >= 0 else { return "the secret \(quoted) is refused: \(Self.text(words))" }
        return count < Self.fewest
            ? "the secret \(quoted) has \(count) bytes, which can be guessed; write one of \(Self.fewest) or more there, such as openssl rand -hex 16 prints"
            : nil
    }

    /// So many bytes a secret has at most, for any plugin.
    private static let longest = 65_536
    /// A shorter one can be guessed.
    private static let fewest = 8

    /// Words that end with a zero.
    private static func text(_ words: [CChar]) -> String {
        String(decoding: words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension HostPlan {
    /// The same plan with warnings about secrets that are not there, or that are not secret, as this process finds them.
    package func reviewingSecrets() -> HostPlan {
        let review = SecretReview(credentials: SystemFile.variable("CREDENTIALS_DIRECTORY"))
        var plan = self
        plan.diagnostics = diagnostics + instances.flatMap { review.diagnostics(of: $0) }
        return plan
    }
}
