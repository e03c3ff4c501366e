// SPDX-License-Identifier: Apache-2.0

/// A shell that completes command lines of the program by a script.
enum CompletionShell: String, CaseIterable {
    /// Bourne's, again.
    case bash
    /// With its own `_arguments`.
    case zsh
    /// With a line for each option.
    case fish

    /// The script, with its last line ending.
    var script: String {
        switch self {
        case .bash: Self.bashScript
        case .zsh: Self.zshScript
        case .fish: Self.fishScript
        }
    }

    /// The words that an operand may be; that of `help` is the name of a command.
    private static func offer(_ operand: CommandOperand, of command: Command) -> [String] {
        command.name == CommandTable.help.name ? CommandTable.names : operand.words
    }

    /// The words that any of the operands may be.
    private static func offers(of command: Command) -> [String] {
        command.operands.flatMap { offer($0, of: command) }
    }

    /// What a shell offers as the value of an option, in its own words.
    private static func offer(
        _ option: CommandOption, words: (String) -> String, nothing: String, file: String, folder: String
    ) -> String {
        if !option.choices.isEmpty { return words(option.choices.map(\.word).joined(separator: " ")) }
        return switch option.completion {
        case .none: nothing
        case .file: file
        case .folder: folder
        }
    }

    // MARK: - bash

    /// For bash: a function that looks at the word before the cursor.
    private static var bashScript: String {
        let values = CommandTable.all.flatMap { command in
            command.shownOptions.compactMap { option -> String? in
                guard option.placeholder != nil else { return nil }
                let offer = offer(
                    option, words: { "offer -W '\($0)'" }, nothing: ":", file: "offer_files -f",
                    folder: "offer_files -d")
                return "        \(command.name):\(option.name)) \(offer); return ;;"
            }
        }
        let words = CommandTable.all.map { command in
            let words = command.shownOptions.map(\.name) + offers(of: command)
            let files = command.operands.contains { $0.completion != .none }
            return
                "        \(command.name)) offer -W '\(words.joined(separator: " "))'\(files ? "; if [[ $current != -* ]]; then offer_files -f; fi" : "") ;;"
        }
        return """
            # SPDX-License-Identifier: Apache-2.0
            # Completes command lines of gatehouse in bash; written by gatehouse help --completions bash.

            _gatehouse() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} found
                # A value behind an equals sign is a word of its own.
                if [[ $current == = ]]; then
                    current=
                elif [[ $previous == = ]]; then
                    previous=${COMP_WORDS[COMP_CWORD - 2]}
                fi
                offer() {
                    while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen "$@" -- "$current")
                }
                offer_files() {
                    compopt -o filenames 2>/dev/null
                    offer "$@"
                }
                COMPREPLY=()
                if ((COMP_CWORD == 1)); then
                    offer -W '\(CommandTable.names.joined(separator: " "))'
                    return
                fi
                case ${COMP_WORDS[1]}:$previous in
            \(values.joined(separator: "\n"))
                esac
                case ${COMP_WORDS[1]} in
            \(words.joined(separator: "\n"))
                esac
            }
            complete -F _gatehouse gatehouse

            """
    }

    // MARK: - zsh

    /// For zsh: a function in the words of its `_arguments`.
    private static var zshScript: String {
        let commands = CommandTable.all.map { "        '\($0.name):\(quoted($0.summary))'" }
        let cases = CommandTable.all.map { command in
            let lines =
                command.parts.flatMap { part -> [String] in
                    switch part {
                    case .options(let options): zshSpecifications(options.filter { !$0.isHidden })
                    case .operand(let operand): [zshOperand(operand, offer(operand, of: command))]
                    }
                }
            return
                "        \(command.name)) _arguments \(lines.map { "\\\n            '\($0)'" }.joined(separator: " ")) ;;"
        }
        return """
            #compdef gatehouse
            # SPDX-License-Identifier: Apache-2.0
            # Completes command lines of gatehouse in zsh; written by gatehouse help --completions zsh.

            _gatehouse() {
                local -a commands
                commands=(
            \(commands.joined(separator: "\n"))
                )
                if ((CURRENT == 2)); then
                    _describe command commands
                    return
                fi
                shift words
                ((CURRENT--))
                case $words[1] in
            \(cases.joined(separator: "\n"))
                esac
            }
            _gatehouse "$@"

            """
    }

    /// Options of which one may be given, as `_arguments` reads them.
    private static func zshSpecifications(_ options: [CommandOption]) -> [String] {
        options.map { option in
            let others =
                option.isRepeatable
                ? "*" : options.count > 1 ? "(\(options.map(\.name).joined(separator: " ")))" : ""
            let start =
                "\(others)\(option.name)\(option.placeholder == nil ? "" : "=")[\(zshText(option.meaning))]"
            guard let placeholder = option.placeholder else { return start }
            let offer = offer(
                option, words: { "(\($0))" }, nothing: " ", file: "_files", folder: "_files -/")
            return "\(start):\(placeholder):\(offer)"
        }
    }

    /// What is no option, likewise.
    private static func zshOperand(_ operand: CommandOperand, _ words: [String]) -> String {
        let offer =
            words.isEmpty
            ? operand.completion == .none ? " " : "_files" : "(\(words.joined(separator: " ")))"
        let place = operand.repeats ? "*:" : operand.isRequired ? "1:" : ":"
        return "\(place)\(operand.name):\(offer)"
    }

    /// A text in which nothing means anything to `_arguments`.
    private static func zshText(_ text: String) -> String {
        quoted(text).map { "[]:".contains($0) ? "\\\($0)" : String($0) }.joined()
    }

    // MARK: - fish

    /// For fish: a line for each command and option.
    private static var fishScript: String {
        let commands = CommandTable.all.map {
            "complete -c gatehouse -n __gatehouse_takes_command -a \($0.name) -d '\(fishText($0.summary))'"
        }
        let rest = CommandTable.all.flatMap { command -> [String] in
            let condition = "__gatehouse_runs \(command.name)"
            let start = "complete -c gatehouse -n '\(condition)'"
            let words = offers(of: command).joined(separator: " ")
            let operands =
                words.isEmpty
                ? command.operands.filter { $0.completion != .none }.map { _ in "\(start) -F" }
                : ["complete -c gatehouse -n '\(condition); and not __gatehouse_has \(words)' -a '\(words)'"]
            return operands
                + command.shownOptions.map { option in
                    let offer = offer(
                        option, words: { " -x -a '\($0)'" }, nothing: " -x", file: " -r -F",
                        folder: " -x -a '(__fish_complete_directories)'")
                    return
                        "\(start) -l \(option.name.dropFirst(2))\(option.placeholder == nil ? "" : offer) -d '\(fishText(option.meaning))'"
                }
        }
        return """
            # SPDX-License-Identifier: Apache-2.0
            # Completes command lines of gatehouse in fish; written by gatehouse help --completions fish.

            # The first word is the command; the same word further behind, as in ctl plan, is none.
            function __gatehouse_takes_command
                test (count (commandline -opc)) -eq 1
            end
            function __gatehouse_runs
                set -l words (commandline -opc)
                test (count $words) -ge 2; and test $words[2] = $argv[1]
            end
            function __gatehouse_has
                set -l words (commandline -opc)
                for word in $words[3..-1]
                    contains -- $word $argv; and return 0
                end
                return 1
            end
            complete -c gatehouse -f
            \((commands + rest).joined(separator: "\n"))

            """
    }

    /// A text between single quotes of fish.
    private static func fishText(_ text: String) -> String {
        text.map { "\\'".contains($0) ? "\\\($0)" : String($0) }.joined()
    }

    /// A text between single quotes of bash or zsh.
    private static func quoted(_ text: String) -> String {
        text.map { $0 == "'" ? "'\\''" : String($0) }.joined()
    }
}
