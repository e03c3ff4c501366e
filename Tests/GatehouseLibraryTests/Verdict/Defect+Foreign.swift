// SPDX-License-Identifier: Apache-2.0

import GatehouseLibraryTesting
import GatehouseManifest

@testable import GatehouseLibrary

extension Defect {
    /// Foreign plugins whose note or needs are not what they should be.
    static let foreign = [
        Defect("a foreign plugin of another ABI number", in: "ForeignRefusing") { library in
            try library.replace(#""foreign":1,"#, with: #""foreign":2,"#)
            return [
                #"its note cannot be read: 1:23: "foreign": expected 1, found 2; build the plugin with the gatehouse_foreign.h of this host"#
            ]
        },
        Defect("a foreign plugin with the entry of another one", in: "ForeignRefusing") { library in
            try library.replace(#""entry":"gatehouse_foreign_v1""#, with: #""entry":"gatehouse_foreign_w1""#)
            return [
                #"its note cannot be read: 1:33: "entry": expected the symbol gatehouse_foreign_v1, or one that begins with gatehouse_foreign_v1_, found "gatehouse_foreign_w1"; give the entry this name"#
            ]
        },
        Defect("a foreign plugin with a key that nobody knows", in: "ForeignRefusing") { library in
            try library.replace(#""emits": "#, with: #""emitz": "#)
            return [
                #"its note cannot be read: 1:160: "manifest.emitz": expected one of the keys id, version, summary, consumes, emits, narrows, settings, permissions, scope, onQuarantine, onInterruption, discovery, found an unknown key; write "emits""#
            ]
        },
        Defect("a foreign plugin that does not export its entry", in: "ForeignRefusing") { library in
            try library.replace("\0gatehouse_foreign_v1\0", with: "\0gatehouse_foreign_w1\0")
            return [
                "does not export its entry gatehouse_foreign_v1; do not strip or hide the symbols of a plugin"
            ]
        },
        Defect(
            "a foreign plugin that links the SDK", in: "ForeignWithSDK",
            reason:
                "is a foreign plugin and links libGatehouseSDK.so, which its contract does not cover; do not link it, or make it a plugin with the build plugin EmbedManifest"
        ),
    ]
}
