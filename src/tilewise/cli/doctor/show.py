"""The doctor's report: as a dict for JSON, and as text in either language."""

import tilewise
from tilewise.cli.doctor.machine import call
from tilewise.cli.doctor.rows import row, table

SAID = {
    "en": {
        "gpu": "GPU",
        "driver": "driver {driver}",
        "no gpu": "none that nvidia-smi or PyTorch can see",
        "capability": "compute capability {}",
        "torch": "PyTorch",
        "no torch": "not installed, or it does not import",
        "plain": "without CUDA",
        "packages": "Packages",
        "works": "imports",
        "broken": "does not work: {}",
        "blocked": "waits for PyTorch",
        "sdpa": "What scaled_dot_product_attention calls ({dtype}, {mask})",
        "causal": "causal",
        "full": "no mask",
        "not": "not {}: {}",
        "unknown": "unknown ({})",
        "call": "The call to choose",
        "findings": "Findings",
        "do": "Do: {}",
        "see": "See: {}",
        "healthy": "Nothing is wrong.",
        "nothing": "–",
    },
    "zh": {
        "gpu": "显卡",
        "driver": "驱动 {driver}",
        "no gpu": "nvidia-smi 和 PyTorch 都没有看到",
        "capability": "计算能力 {}",
        "torch": "PyTorch",
        "no torch": "没有安装，或者无法导入",
        "plain": "不带 CUDA",
        "packages": "软件包",
        "works": "可以导入",
        "broken": "不能用：{}",
        "blocked": "要先装好 PyTorch",
        "sdpa": "scaled_dot_product_attention 会调用什么（{dtype}，{mask}）",
        "causal": "因果掩码",
        "full": "不加掩码",
        "not": "不用 {}：{}",
        "unknown": "不清楚（{}）",
        "call": "该用哪个函数",
        "findings": "发现的问题",
        "do": "怎么做：{}",
        "see": "参见：{}",
        "healthy": "没有发现问题。",
        "nothing": "–",
    },
}


def report(facts, found, asked, lang):
    """The whole report as JSON holds it."""
    torch = facts["torch"] or {}
    keys = ("version", "cuda", "hip", "abi", "cudnn", "architectures", "driver_cuda")
    general = general_values(facts, asked)
    return {
        "tilewise": tilewise.__version__,
        "healthy": not any(x["level"] == "error" for x in found),
        "python": facts["python"],
        "system": facts["system"],
        "libc": facts["libc"],
        "driver": driver(facts),
        "gpus": gpus(facts),
        "torch": {key: torch[key] for key in keys} if torch else None,
        "packages": [state(x) for x in facts["packages"]],
        "sdpa": torch.get("sdpa", []),
        "dtype": asked["dtype"],
        "causal": asked["causal"],
        "call": table()["calls"][call(facts, asked["dtype"])][lang],
        "findings": [sentence(x, general, lang) for x in found],
    }


def general_values(facts, asked):
    """What any sentence may name."""
    torch = facts["torch"] or {}
    abi = torch.get("abi", True)
    return {
        "python": facts["python"],
        "system": facts["system"],
        "libc": facts["libc"] or "another C library",
        "dtype": asked["dtype"],
        "torch": torch.get("version", "?"),
        "cuda": torch.get("cuda") or "none",
        "ABI": str(abi).upper(),
    }


def driver(facts):
    """The driver's version, as nvidia-smi has it, or None."""
    found = (facts["card"] or {}).get("gpus") or [{}]
    return found[0].get("driver")


def gpus(facts):
    """[{"name", "capability"}] as PyTorch sees them, or else nvidia-smi."""
    seen = (facts["torch"] or {}).get("devices")
    seen = seen or (facts["card"] or {}).get("gpus", [])
    return [{key: x[key] for key in ("name", "capability")} for x in seen]


def state(package):
    """A package: its name, version, module and how it is."""
    broken = package.get("cause")
    how = "blocked" if package.get("blocked") else "broken" if broken else "works"
    keys = {key: package[key] for key in ("name", "version", "module")}
    return keys | {"state": how, "finding": broken}


def sentence(found, general, lang):
    """A finding in words: what it is, what to do, and where others had it."""
    entry = row(found["id"])
    values = general | {"package": found["package"]} | found["values"]
    about = {key: found[key] for key in ("id", "level", "package")}
    words = {"says": entry[lang]["says"].format(**values)}
    words["advice"] = entry[lang]["advice"]
    return about | words | {"threads": [address(x) for x in entry["threads"]]}


def address(thread):
    """The page of a thread: GitHub leads from an issue's address to a pull request."""
    repository, _, number = thread.partition("#")
    return f"https://github.com/{repository}/issues/{number}"


def lines(told, lang):
    """The report as lines of text."""
    words = SAID[lang]
    yield f"Python {told['python']}, {told['system']}, {told['libc'] or '–'}"
    yield f"{words['gpu']}: {card(told, words)}"
    yield f"{words['torch']}: {build(told['torch'], words)}"
    yield from ("", words["packages"])
    for package in told["packages"]:
        how = words[package["state"]].format(package["finding"])
        version = package["version"] or words["nothing"]
        yield f"  {package['name']:20}{version:20} {how}"
    if told["sdpa"]:
        mask = words["causal" if told["causal"] else "full"]
        yield from ("", words["sdpa"].format(dtype=told["dtype"], mask=mask))
        for asked in told["sdpa"]:
            yield from choice(asked, words)
    yield from ("", words["call"], f"  {told['call']}", "")
    yield words["findings"] if told["findings"] else words["healthy"]
    for x in told["findings"]:
        of = f" ({x['package']})" if x["package"] else ""
        yield f"  {'✗' if x['level'] == 'error' else '!'} {x['id']}{of}: {x['says']}"
        yield f"    {words['do'].format(x['advice'])}"
        if x["threads"]:
            yield f"    {words['see'].format(' '.join(x['threads']))}"


def card(told, words):
    """GPU, compute capability and driver, in a line."""
    if not told["gpus"]:
        return words["no gpu"]
    first = told["gpus"][0]
    parts = [f"{len(told['gpus'])} × {first['name']}"]
    if first["capability"]:
        parts.append(words["capability"].format("{}.{}".format(*first["capability"])))
    if told["driver"]:
        parts.append(words["driver"].format(driver=told["driver"]))
    return ", ".join(parts)


def build(torch, words):
    """PyTorch's version and how it was built, in a line."""
    if torch is None:
        return words["no torch"]
    cuda = f"CUDA {torch['cuda']}" if torch["cuda"] else words["plain"]
    cuda = f"ROCm {torch['hip']}" if torch["hip"] else cuda
    abi = f"cxx11abi{str(torch['abi']).upper()}"
    return f"{torch['version']}, {cuda}, {abi}, cuDNN {torch['cudnn'] or '–'}"


def choice(asked, words):
    """A shape, the backend, and why the others do not run."""
    name = asked["backend"] or words["unknown"].format(asked.get("error", "?"))
    yield f"  {' × '.join(map(str, asked['shape']))} ({asked['device']}): {name}"
    for backend, why in asked["reasons"].items():
        yield f"    {words['not'].format(backend, why or '–')}"
