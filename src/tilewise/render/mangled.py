"""What a mangled C++ name tells about the strings of the code that asks for it."""

import re

TOKEN = re.compile(r"S[0-9A-Z]*_|T[0-9]*_|L[a-z]n?[0-9]+E|St|Ss|[0-9]+|.", re.S)


def string_abi(symbol):
    """The C++ ABI of the strings in a mangled name: "new", "old", or None.

    Since GCC 5, std::string is std::__cxx11::basic_string, where the old one was
    std::basic_string, which a mangled name shortens to `Ss`. Identifiers are written as
    length and letters, as in 7__cxx11, so letters inside them mean nothing. A symbol
    without strings in it belongs to both (None).

    Source: Itanium C++ ABI, 5.1 (mangling); GCC's manual of libstdc++, Dual ABI.
    """
    at, found = 0, None
    while match := TOKEN.match(symbol, at):
        token = match[0]
        at = match.end()
        if token.isdecimal():
            name = symbol[at : at + int(token)]
            if name in ("__cxx11", "cxx11"):
                return "new"
            at += len(name)
        elif token == "Ss":
            found = "old"
    return found
