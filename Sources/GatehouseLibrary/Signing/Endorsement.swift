// SPDX-License-Identifier: Apache-2.0

/// Who vouches for the bytes of a library, as far as its digest and its signature tell.
package enum Endorsement: Equatable, Sendable {
    /// It came with the host.
    case host
    /// A key that may do so has signed it.
    case key(Signed)
    /// Nobody whom the policy knows.
    case nobody(Lack)

    /// A signature that was checked.
    package struct Signed: Equatable, Sendable {
        /// What the operator calls the key.
        package let name: String
        /// The key.
        package let key: MinisignKey.ID
        /// The order of the signer's releases; the next one has a higher one.
        package let serial: Int
        /// The signature as it lay beside the library.
        package let text: String
    }

    /// Why nobody vouches for it.
    package enum Lack: Equatable, Sendable {
        /// No signature lies beside it.
        case unsigned
        /// It is signed by a key that the policy does not have.
        case unknownKey(MinisignKey.ID)

        /// The lack, without a subject.
        package var words: String {
            switch self {
            case .unsigned: "is not signed"
            case .unknownKey(let id): "is signed by the key \(id), which \"trust\" does not have"
            }
        }
    }

    /// The signature that counted, as it lay beside the library; nil for none.
    package var signature: String? { if case .key(let signed) = self { signed.text } else { nil } }

    /// Who vouches for it, for people.
    package var words: String {
        switch self {
        case .host: "came with the host"
        case .key(let signed): "signed by \(signed.name), serial \(signed.serial)"
        case .nobody(.unsigned): "not signed"
        case .nobody(.unknownKey(let id)): "signed by the unknown key \(id)"
        }
    }
}
