"""`serve`: attention over HTTP."""

import importlib
import re
import socket
import sys

from tilewise.checks import short
from tilewise.cli.errors import Bad, extra
from tilewise.cli.options import add_size
from tilewise.serve.limits import LIMITS

NEEDED = ("fastapi", "hypercorn", "safetensors", "prometheus_client", "torch")
MOST = {  # what the options may be set to
    "threads": 256,
    "queue": 10_000,
    "deadline": 3600,
    "max_body": 4096,
    "max_json": 64,
    "max_elements": 2**29,
    "max_heads": 2**16,
    "max_dim": 4096,
    "max_work": 10**6,
    "memory": 10**6,
    "connections": 2**16,
}
SAID = {
    "en": {
        "listening": "Listening on {address}",
        "open": "Whoever reaches this address can use it: there is no "
        "authentication and no encryption.",
    },
    "zh": {
        "listening": "正在监听 {address}",
        "open": "凡是访问得到这个地址的，都可以使用：没有身份验证，也没有加密。",
    },
}


def add_options(parser, words):
    """The options of `serve`, with their help in one language."""

    def about(name, default):
        text = words[f"serve {name}"]
        return words["serve default"].format(about=text, default=default)

    host, port = "127.0.0.1", 8000
    how = {"metavar": "HOST", "default": host, "help": about("--host", host)}
    parser.add_argument("--host", **how)
    how = {"metavar": "PORT", "default": port, "help": about("--port", port)}
    parser.add_argument("--port", type=port_of, **how)
    how = {"metavar": "NAME", "default": [], "action": "append"}
    parser.add_argument("--name", **how, help=words["serve --name"])
    for name, most in MOST.items():
        default, option = LIMITS[name], "--" + name.replace("_", "-")
        add_size(parser, option, most, "N", default, about(name, default))


def port_of(text):
    """A port as a number, 0 for any."""
    value = int(text) if re.fullmatch(r"[0-9]{1,5}", text) else -1
    if not 0 <= value <= 65535:
        raise Bad("port", value=short(text))
    return value


def listen(host, port):
    """A listening socket; OSError where the address cannot be had."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    family, *_, address = found[0]
    return socket.create_server(address[:2], family=family, backlog=512)


def run(args, out):
    """Listen, say where, and serve until a signal comes."""
    for name in NEEDED:
        try:
            importlib.import_module(name)
        except ImportError:
            raise Bad("no_extra", name=name, extra=extra("serve")) from None
    from tilewise.serve import server

    try:
        listener = listen(args.host, args.port)
    except (OSError, UnicodeError) as error:  # UnicodeError: no name of a host
        why = getattr(error, "strerror", None) or str(error)
        about = {"host": short(args.host), "port": args.port}
        raise Bad("no_address", **about, why=why) from None

    def say(address):
        host, port = address[:2]
        host = f"[{host}]" if ":" in host else host
        line = SAID[args.lang]["listening"].format(address=f"http://{host}:{port}")
        out.write(line + "\n")
        out.flush()
        if not (host.startswith("127.") or host == "[::1]"):
            print(SAID[args.lang]["open"], file=sys.stderr)

    limits = {name: getattr(args, name) for name in LIMITS}
    server.run(listener, say, limits, (args.host, *args.name))
    return 0
