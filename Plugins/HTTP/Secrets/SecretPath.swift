// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The path of a file with a secret, as the operator wrote it.
struct SecretPath: SettingText, Equatable {
    static let expected = "the path of a file with a secret"

    /// The path; not empty. A relative one is looked up among the credentials of the service first.
    let text: String

    init?(_ text: String) {
        guard !text.isEmpty, !text.utf8.contains(0) else { return nil }
        self.text = text
    }

    /// Returns the possible paths of the file, in order of lookup.
    ///
    /// - Parameter credentials: the service manager's folder in `CREDENTIALS_DIRECTORY`; nil without one.
    func places(credentials: String?) -> [String] {
        guard !text.hasPrefix("/"), let credentials, !credentials.isEmpty else { return [text] }
        return [credentials + "/" + text, text]
    }
}
