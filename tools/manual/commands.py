# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The commands of the tool `zlink`: read from its help, kept in docs/man/commands.json, shown as pages and completions.

A command is {"about", "usage", "options", "notes", "examples"}; an option is {"names", "argument", "text", "group"}.
The command "" is the tool itself.
"""
import json
import re
import subprocess

HEADING = re.compile(r"^(\S[^:]*):\s*$")
COLUMN = 34  # where the help has its texts


def help_of(program, *command):
    said = subprocess.run([str(program), *command, "--help"], capture_output=True, text=True, check=True, timeout=60)
    return said.stdout


def entry(line):
    """Name and text of a line of the help; the text may follow on the next one."""
    if len(line) > COLUMN and line[COLUMN - 1] == " ":
        return line[:COLUMN].strip(), line[COLUMN:].strip()
    return line.strip(), ""


def begins_group(line, following):
    """Whether a line is a heading over options, positional arguments or commands; others belong to the notes."""
    heading = HEADING.match(line)
    return heading and (heading[1] in ("Positionals", "Commands") or following.startswith("  -"))


def parse_help(text):
    """The command, and the names of its own commands."""
    about, _, rest = text.partition("\nUsage: ")
    usage, _, rest = rest.partition("\n")
    lines, options, names, group, last, at = rest.splitlines() + [""], [], [], "", {}, 0
    while at + 1 < len(lines):
        line = lines[at]
        if begins_group(line, lines[at + 1]):
            group = HEADING.match(line)[1]
        elif line.startswith(" " * COLUMN) and last:
            last["text"] = f"{last['text']} {line.strip()}".strip()
        elif re.match(r"  \S", line):
            name, words = entry(line)
            option, _, argument = name.partition(" ")
            last = {"names": option.split(","), "argument": argument, "text": words, "group": group}
            (names if group == "Commands" else options).append(last)
        elif line.strip():
            break
        at += 1
    notes, _, examples = ("\n" + "\n".join(lines[at:])).partition("\nExamples:\n")
    return {"about": " ".join(about.split()), "usage": usage.strip(), "options": options, "notes": notes.strip("\n"),
            "examples": examples.strip("\n")}, [each["names"][0] for each in names]


def collect(program):
    """Everything that `zlink --help` and `zlink COMMAND --help` say."""
    tool, names = parse_help(help_of(program))
    found = {"": tool}
    for name in names:
        found[name] = parse_help(help_of(program, name))[0]
    return found


def read(root):
    return json.loads((root / "docs" / "man" / "commands.json").read_text())


def as_json(found):
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def sentence(text):
    return text if text.endswith(".") else text + "."


def dedented(text):
    """Lines without the two blanks that the help has in front of all of them."""
    lines = text.splitlines()
    return [line.removeprefix("  ") for line in lines] if all(re.match("  |$", line) for line in lines) else lines


def page_text(name, command):
    """The page zlink-NAME(1), in the form of docs/man."""
    about = command["about"].removesuffix(".")
    lines = [f"# zlink-{name}(1): {about[:1].lower()}{about[1:].split('. ')[0]}", "", "## Synopsis", "",
             f"    {command['usage']}", "", "## Description", "",
             sentence(about), "", "zlink(1) describes what the commands have in common.", "", "## Options"]
    group = None
    for option in command["options"]:
        if option["group"] != group:
            group = option["group"]
            lines += ["", f"### {group}", ""] if group not in ("Positionals", "Options") else [""]
        names = ["`" + each + "`" for each in option["names"]]
        if option["argument"] and group != "Positionals":
            names[-1] = f"`{option['names'][-1]} {option['argument']}`"
        lines.append(f"- {', '.join(names)}: {option['text']}")
    for title in ("notes", "examples"):
        if command[title]:
            lines += ["", f"## {title.capitalize()}", ""] + [f"    {line}" for line in dedented(command[title])]
    return "\n".join(lines + ["", "## See also", "", "zlink(1)", ""])


def takes_file(option):
    return "FILE" in option["argument"] or "DIR" in option["argument"]


def all_names(command):
    return [name for option in command["options"] for name in option["names"] if name.startswith("-")]


NOTICE = """\
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Written by tools/man_pages.py.
"""

BASH = """\
_zlink()
{{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous= command= word options= files= values=
    ((COMP_CWORD == 0)) || previous=${{COMP_WORDS[COMP_CWORD - 1]}}
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case $word in
            {commands}) command=$word; break ;;
        esac
    done
    COMPREPLY=()
    case $command in
        "") options="{own}" ;;
{cases}
    esac
    case " $files " in
        *" $previous "*)
            compopt -o filenames 2>/dev/null || true  # not there outside of a completion
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            return ;;
    esac
    case " $values " in
        *" $previous "*) return ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
}}
complete -F _zlink zlink
"""


def bash_completion(found):
    cases = []
    for name, command in found.items():
        if not name:
            continue
        with_value = [option for option in command["options"] if option["argument"]]
        files = [each for option in with_value if takes_file(option) for each in option["names"]]
        values = [each for option in with_value if not takes_file(option) for each in option["names"]]
        cases.append(f"        {name})\n            options=\"{' '.join(all_names(command))}\"\n"
                     f"            files=\"{' '.join(files)}\"\n            values=\"{' '.join(values)}\" ;;")
    names = [name for name in found if name]
    return NOTICE + BASH.format(commands=" | ".join(names), own=" ".join(names + all_names(found[""])),
                                cases="\n".join(cases))


def quoted(text):
    """In single quotes of zsh, and without a meaning for _arguments."""
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def zsh_option(option):
    names = [name for name in option["names"] if name.startswith("-")]
    value = ""
    if option["argument"]:
        value = f":{quoted(option['argument'])}:" + ("_files" if takes_file(option) else " ")
    if "repeatable" in option["text"]:
        head = f"'*'{{{','.join(names)}}}'" if len(names) > 1 else f"'*{names[0]}"
    else:
        head = f"'({' '.join(names)})'{{{','.join(names)}}}'" if len(names) > 1 else f"'{names[0]}"
    return f"{head}[{quoted(option['text'])}]{value}'"


def zsh_completion(found):
    names = "\n".join(f"        '{name}:{quoted(command['about'])}'" for name, command in found.items() if name)
    cases = "\n".join(f"        {name})\n            _arguments -s \\\n                " +
                      " \\\n                ".join([zsh_option(option) for option in command["options"]
                                                   if option["names"][0].startswith("-")] + ["'*:message: '"]) + " ;;"
                      for name, command in found.items() if name)
    return f"""#compdef zlink
{NOTICE}
local context state state_descr line
typeset -A opt_args
_arguments -C \\
    {' '.join(zsh_option(option) for option in found['']['options'])} \\
    '1: :->command' '*:: :->arguments'
if [[ $state == command ]]; then
    local -a commands=(
{names}
    )
    _describe command commands
elif [[ $state == arguments ]]; then
    case $line[1] in
{cases}
    esac
fi
"""
