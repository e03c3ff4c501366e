// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// The state of an instance outside of any plugin's image: as JSON, with the version of its form.
package struct VersionedState: Codable, Equatable, Sendable {
    /// The version of the form, as the plugin counts that wrote it.
    package let version: Int
    /// The state as JSON.
    package let value: Value

    /// A state in a form of its plugin.
    package init(version: Int, value: Value) {
        self.version = version
        self.value = value
    }

    /// Lets a slice take it over, in the form that its plugin has now.
    ///
    /// - Throws: why it cannot be; the slice is as it was.
    package func restore(_ slice: Slice, of exports: PluginExports) throws(StateRefusal) {
        do throws(CodingFailure) {
            try slice.restore(exports.migrate(value, from: version))
        } catch {
            throw StateRefusal(version: version, known: exports.stateVersion, failure: error)
        }
    }
}

/// Why a plugin does not take over the state of another image or run.
package struct StateRefusal: Error, Equatable, Sendable {
    /// The version of the state.
    package let version: Int
    /// The version that the plugin writes.
    package let known: Int
    /// What does not fit.
    package let failure: CodingFailure
}

extension StateRefusal: CustomStringConvertible {
    /// The sentence, for the operator who has put the plugin there.
    package var description: String {
        let place = failure.pointer.tokens.isEmpty ? "" : "\(failure.pointer): "
        let advice =
            if version > known {
                "install a library that knows this version, or remove the state"
            } else if version < known {
                "correct the plugin's migrate"
            } else {
                "raise the plugin's stateVersion and let migrate read this form"
            }
        return
            "its state of version \(version) cannot be taken over: \(place)expected \(failure.expected), found \(failure.found); \(advice)"
    }
}
