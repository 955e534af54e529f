"""Beside the floors: the command line: `python -m tilewise COMMAND`.

Bad input gives one sentence on stderr and exit status 2. A command is a module with
add_options(parser, words) and run(args, out), named in COMMANDS and in HELP.
"""

import errno
import os
import sys

import tilewise
from tilewise.checks import short
from tilewise.cli import bench, doctor, exercise, export, ledger, serve, share, trace
from tilewise.cli.errors import Bad
from tilewise.cli.help import HELP
from tilewise.cli.options import Parser, add_choice

COMMANDS = {"trace": trace, "ledger": ledger, "exercise": exercise, "bench": bench}
COMMANDS |= {"serve": serve, "export": export, "doctor": doctor}
LANGS = tuple(HELP)


def parser(lang):
    """The parser of all commands, with help in one language."""
    words = HELP[lang] | export.WORDS[lang] | doctor.WORDS[lang] | share.WORDS[lang]
    top = Parser(prog="python -m tilewise", description=words["tilewise"])
    version = f"tilewise {tilewise.__version__}"
    about = words["--version"]
    top.add_argument("--version", help=about, action="version", version=version)
    commands = top.add_subparsers(dest="command", metavar="command")
    for name, module in COMMANDS.items():
        about, end = words[name], words[f"{name} epilog"]
        sub = commands.add_parser(name, help=about, description=about, epilog=end)
        module.add_options(sub, words)
        add_choice(sub, "--lang", LANGS, words["--lang"])
    return top


def language(argv):
    """The language asked for, known before the rest is read, so that errors use it."""
    asked = [b for a, b in zip(argv, argv[1:], strict=False) if a == "--lang"]
    asked += [a.removeprefix("--lang=") for a in argv if a.startswith("--lang=")]
    return asked[-1] if asked and asked[-1] in LANGS else "en"


def command(argv, lang):
    """Run what argv asks for and return the exit status."""
    top = parser(lang)
    if not argv:
        top.print_help(sys.stderr)
        return 2
    if argv[0] == "--lang" and len(argv) > 2:  # before the command
        argv = argv[2:] + argv[:2]
    if argv[0] not in (*COMMANDS, "-h", "--help", "--version"):
        key = "unknown_option" if argv[0].startswith("-") else "unknown_command"
        raise Bad(key, value=short(argv[0]))
    try:
        args = top.parse_args(argv)
    except SystemExit as done:  # --help and --version
        return done.code
    out = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # None: it is closed
    return COMMANDS[args.command].run(args, out)


def main(argv=None):
    """Run the command line; return its exit status, whatever happens."""
    argv = sys.argv[1:] if argv is None else list(argv)
    lang = language(argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # whatever the terminal's encoding is
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        status = command(argv, lang)
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except Bad as bad:
        return complain(bad, lang, 2)
    except KeyboardInterrupt:
        hush(sys.stdout)
        return 130
    except OSError as error:  # in writing: files are read in problem.py
        hush(sys.stdout)
        if error.errno in (errno.EPIPE, errno.EINVAL):  # the reader left, as head does
            return 141
        return complain(Bad("write", why=error.strerror), lang, 1)


def complain(bad, lang, status):
    try:
        if sys.stderr is not None:
            print(f"tilewise: {bad.sentence(lang)}", file=sys.stderr, flush=True)
    except OSError:  # a full disk, which must not hide the status
        hush(sys.stderr)
    return status


def hush(stream):
    """Send what is left in a stream nowhere: Python would wait or fail at its exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (AttributeError, OSError, ValueError):  # not a real file: nothing to flush
        pass
