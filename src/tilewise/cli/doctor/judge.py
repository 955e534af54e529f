"""From facts to findings: which row of findings.toml fits what was found out."""

import re

from tilewise.cli.doctor import machine
from tilewise.cli.doctor.rows import about, plain, row, table
from tilewise.render.mangled import string_abi


def abi_differs(match, package, torch):
    """Whether the missing symbol has strings of the ABI that PyTorch has not."""
    said = string_abi(match["symbol"])
    return torch is not None and said not in (None, "new" if torch["abi"] else "old")


GUARDS = {  # what must hold besides the pattern
    "shadowed": lambda match, package, torch: package["local"],
    "split-folder": lambda match, package, torch: package["other"],
    "overwritten": lambda match, package, torch: package["beside"],
    "python-tag": lambda match, package, torch: package["foreign"],
    "cpu-torch": lambda match, package, torch: torch and plain(torch),
    "cxx11-abi": abi_differs,
}


def cause(package, torch):
    """(id, {name: text}) of why a package does not import; None where it does."""
    answer = package["import"]
    if "slow" in answer:
        return "slow", {"seconds": answer["slow"]}
    if "ended" in answer:
        return "crashed", {"status": answer["ended"]}
    if "error" not in answer:
        text = "\n".join(answer["said"])
        return known(text, package, torch, ("xformers-build",))
    text = answer["error"]
    found = known(text, package, torch)
    if found and found[0] == "import-failed":  # a log may say more than the error
        more = "\n".join([text, *answer["said"]])
        found = known(more, package, torch)
    return found


def known(text, package, torch, only=None):
    """The first row of the table, or of those named, that fits a text."""
    for entry in table()["finding"]:
        key = entry["id"]
        if only and key not in only or not ("pattern" in entry or key in GUARDS):
            continue
        match = re.search(entry.get("pattern", ""), text)
        if match and GUARDS.get(key, lambda *_: True)(match, package, torch):
            values = {k: v.strip() for k, v in match.groupdict().items() if v}
            if key == "torch-version":
                values["symbol"] = values.get("symbol") or values["library"]
            return key, values
    return None


def judge(facts):
    """[{"id", "level", "package", "values"}], errors first."""
    torch, found = facts["torch"], []

    def add(key, package=None, **values):
        level = row(key)["level"]
        found.append({"id": key, "level": level, "package": package, "values": values})

    if not any(x["module"] == "torch" for x in facts["packages"]):
        add("no-torch", "PyTorch")
    broken = None
    for package in facts["packages"]:
        why = cause(package, torch)
        error = package["import"].get("error", "")
        if package["module"] == "torch":
            broken = error
            if why is None and package["local"]:
                why = "shadowed", {}
        elif error and (error == broken or torch is None and not package["local"]):
            package["blocked"] = True  # PyTorch is what is wrong
            continue
        if why is None and package["local"] and not package["editable"]:
            why = "shadowed", {}
        if why:
            package["cause"] = why[0]
            add(why[0], package["name"], **about(package), **why[1])
    machine.judge(facts, add)
    return sorted(found, key=lambda x: x["level"] != "error")
