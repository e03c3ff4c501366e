// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK
internal import Glibc

/// Looks at the files of secrets that settings name, as the plugins that read them do: a plugin without its secret starts, and
/// then serves nobody.
///
/// Only for who asks before a start, because the answer depends on the user, the folder and the time of the question.
struct SecretReview {
    /// The folder with the credentials of a service; nil outside of one.
    let credentials: String?

    /// What is wrong with the secrets of an instance, each with its place in the configuration.
    func findings(of instance: PlannedInstance) -> [Finding] {
        guard let schema = instance.manifest.settings else { return [] }
        return SettingsFiles(instance.entry.settings, by: schema).all.compactMap { file in
            guard file.content == .secret, let sentence = sentence(about: file.path) else { return nil }
            return instance.entry.place?.finding(
                .warning, at: ["settings"] + file.pointer.tokens, sentence)
                ?? Finding(.warning, instance: instance.id, sentence)
        }
    }

    /// What is wrong with one file; nil for nothing.
    private func sentence(about path: String) -> String? {
        let inCredentials = path.hasPrefix("/") ? nil : credentials.map { $0 + "/" + path }
        let place = inCredentials.flatMap { unsafe access($0, F_OK) == 0 ? $0 : nil } ?? path
        let quoted = Quotation.of(place)
        let file = unsafe open(place, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else {
            let code = errno
            guard code == ENOENT else {
                return
                    "the secret \(quoted) cannot be read: \(SystemReason.text(of: code)); let this user read it"
            }
            return path.hasPrefix("/")
                ? "there is no secret \(quoted); write it there"
                : "there is no secret \(quoted) in this folder, nor in $CREDENTIALS_DIRECTORY; write it there, or give it to the service as a credential"
        }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return "expected a file with a secret, found something else at \(quoted); name a file"
        }
        guard status.st_mode & (S_IROTH | S_IWOTH | S_IWGRP) == 0 else {
            return
                "others may read or write the secret \(quoted), so it is refused; take that from them with chmod 600"
        }
        return status.st_size == 0 ? "the secret \(quoted) is empty; write one there" : nil
    }
}

extension HostPlan {
    /// The same plan with warnings about secrets that are not there, or that are not secret, as this process finds them.
    public func reviewingSecrets() -> HostPlan {
        let review = SecretReview(credentials: SystemFile.variable("CREDENTIALS_DIRECTORY"))
        var plan = self
        plan.findings = findings + instances.flatMap { review.findings(of: $0) }
        return plan
    }
}
