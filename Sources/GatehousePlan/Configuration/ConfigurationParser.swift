// SPDX-License-Identifier: Apache-2.0

package import GatehouseSupport
internal import GatehouseValue

/// Reads `plugins.json` and finds all that is wrong with it at once.
package enum ConfigurationParser {
    /// Reads the bytes of a configuration file; `file` is its name as messages show it.
    ///
    /// Any bytes are accepted. Comments may stand in the text. What is not JSON otherwise gives its first error alone; otherwise every problem is
    /// reported. Looks at nothing but the bytes: whether a library exists is a later question.
    package static func parse(_ bytes: [UInt8], file: String) -> ConfigurationOutcome {
        let log = LocatedLog(file: file)
        let configuration = LocatedNode(parsing: bytes, allowsComments: true, log: log).flatMap(
            HostConfiguration.read)
        return ConfigurationOutcome(readable: configuration, diagnostics: Diagnostics(located: log))
    }
}

/// What came of reading a configuration file.
package struct ConfigurationOutcome: Equatable, Sendable {
    /// What could be read, so that later checks can add what they find to one report; nil for a text that is no object.
    package let readable: HostConfiguration?
    /// The errors and warnings that were found.
    package let diagnostics: Diagnostics

    /// What a file with nothing wrong in it gives.
    package init(of configuration: HostConfiguration) {
        self.init(readable: configuration, diagnostics: Diagnostics())
    }

    /// What there is to say about a file that cannot be read.
    package init(failing sentence: String) {
        self.init(readable: nil, diagnostics: Diagnostics([Diagnostic(.error, sentence)]))
    }

    /// An outcome with what could be read and what was found.
    package init(readable: HostConfiguration?, diagnostics: Diagnostics) {
        self.readable = readable
        self.diagnostics = diagnostics
    }

    /// The configuration, nil if the file is broken.
    package var configuration: HostConfiguration? { diagnostics.isFailure ? nil : readable }

    /// The same outcome with every instance optional, so that a missing or refused library is reported and left out.
    package var keepingGoing: ConfigurationOutcome {
        var optional = readable
        for index in optional?.instances.indices ?? 0..<0 { optional?.instances[index].isOptional = true }
        return ConfigurationOutcome(readable: optional, diagnostics: diagnostics)
    }

    /// The same outcome with lines wrapped in another way.
    package func wrapping(_ wrap: LineWrap) -> ConfigurationOutcome {
        var wrapping = readable
        wrapping?.ingress.wrap = wrap
        return ConfigurationOutcome(readable: wrapping, diagnostics: diagnostics)
    }

    /// The ids of the instances that must run.
    package var requiredIDs: Set<String> {
        Set(readable?.instances.filter { !$0.isOptional }.map(\.id) ?? [])
    }
}
