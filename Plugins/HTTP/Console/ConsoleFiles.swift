// SPDX-License-Identifier: Apache-2.0

/// The files of the console, which the build embeds.
enum ConsoleFiles {
    /// All of them; compressed when they are first asked for.
    static let all = [
        ConsoleFile("/", "text/html; charset=utf-8", PackageResources.console_html),
        ConsoleFile("/console.css", "text/css; charset=utf-8", PackageResources.console_css),
        ConsoleFile("/console.js", "text/javascript; charset=utf-8", PackageResources.console_js),
        ConsoleFile("/console.svg", "image/svg+xml", PackageResources.console_svg),
    ]
}
