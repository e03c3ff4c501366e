// SPDX-License-Identifier: Apache-2.0

/// The files of the console, which the build embeds.
enum ConsoleFiles {
    /// All of them; compressed when they are first asked for.
    static let all =
        [
            ConsoleFile("/", "text/html; charset=utf-8", PackageResources.console_html),
            ConsoleFile("/console.css", "text/css; charset=utf-8", PackageResources.console_css),
            ConsoleFile("/console.svg", "image/svg+xml", PackageResources.console_svg),
        ] + modules.map { ConsoleFile($0, "text/javascript; charset=utf-8", $1) }

    /// The modules of the page, of which the first imports the others.
    private static let modules = [
        ("/console.js", PackageResources.console_js), ("/console/page.js", PackageResources.page_js),
        ("/console/chain.js", PackageResources.chain_js),
        ("/console/rows.js", PackageResources.rows_js),
        ("/console/stream.js", PackageResources.stream_js),
        ("/console/cluster.js", PackageResources.cluster_js),
        ("/console/problems.js", PackageResources.problems_js),
        ("/console/actions.js", PackageResources.actions_js),
        ("/console/action.js", PackageResources.action_js), ("/console/state.js", PackageResources.state_js),
        ("/console/trial.js", PackageResources.trial_js), ("/console/hour.js", PackageResources.hour_js),
        ("/console/plot.js", PackageResources.plot_js), ("/console/shadows.js", PackageResources.shadows_js),
        ("/console/graph.js", PackageResources.graph_js),
        ("/console/picture.js", PackageResources.picture_js),
        ("/console/layout.js", PackageResources.layout_js), ("/console/flame.js", PackageResources.flame_js),
        ("/console/instance.js", PackageResources.instance_js),
        ("/console/stretch.js", PackageResources.stretch_js),
    ]
}
