"""`doctor` names the cause in environments that are broken in one way each."""

import json

import jsonschema
import pytest

from tilewise.cli import main
from tilewise.cli.doctor import judge, look
from tilewise.cli.doctor.rows import table
from tilewise.render.mangled import string_abi

from . import _broken
from ._broken import BROKEN
from ._environment import Environment
from ._report import SCHEMA


@pytest.fixture
def environment(tmp_path):
    return Environment(tmp_path)


def told(capsys, *options):
    """(exit status, the report) of the doctor; the report fits the schema."""
    status = main(["doctor", "--format", "json", *options])
    out, err = capsys.readouterr()
    report = json.loads(out)
    jsonschema.validate(report, SCHEMA)
    assert err == "" and status == (0 if report["healthy"] else 1)
    return report


@pytest.mark.few(12)
@pytest.mark.parametrize(
    ("finding", "make"), [x[1:] for x in BROKEN], ids=[x[0] for x in BROKEN]
)
def test_the_cause_is_named(finding, make, environment, monkeypatch, capsys):
    make(environment)
    environment.activate(monkeypatch)
    report = told(capsys)
    assert [x["id"] for x in report["findings"]] == [finding], report["findings"]
    said = report["findings"][0]
    assert "None" not in said["says"] and "?" not in said["says"], said["says"]
    assert report["healthy"] == (said["level"] == "warning")


def test_every_finding_has_an_environment_and_texts():
    ids = [x["id"] for x in table()["finding"]]
    assert {x[1] for x in BROKEN} | {"slow"} == set(ids) and len(ids) == len({*ids})
    for entry in table()["finding"]:
        keys = {"id", "group", "level", "threads", "en", "zh"} | (
            {"pattern"} & entry.keys()
        )
        assert entry.keys() == keys, entry["id"]
        for lang in ("en", "zh"):
            assert entry[lang].keys() == {"sign", "says", "advice"}


def test_healthy(environment, monkeypatch, capsys):
    _broken.card("", architectures=["sm_80", "compute_80"])(environment)
    environment.activate(monkeypatch)
    report = told(capsys, "--shape", "1,2,64,32", "--shape", "1,2,3,8", "--causal")
    assert report["healthy"] and report["findings"] == []
    assert [x["state"] for x in report["packages"]] == ["works"] * 3
    assert report["gpus"] == [{"name": "A card", "capability": [9, 0]}]
    shapes = [(x["shape"], x["backend"]) for x in report["sdpa"]]
    assert shapes == [
        ([1, 2, 64, 32], "flash_attention"),
        ([1, 2, 3, 8], "flash_attention"),
    ]
    reasons = report["sdpa"][0]["reasons"]
    assert "dtype" in reasons["flash_attention"]
    assert reasons["cudnn_attention"] == "No cuDNN."
    assert "cuDNN" in report["call"] and report["causal"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_as_text(lang, environment, monkeypatch, capsys):
    _broken.compiled(_broken.OLD, abi=True)(environment)
    environment.activate(monkeypatch)
    assert main(["doctor", "--lang", lang]) == 1
    out, err = capsys.readouterr()
    assert "cxx11-abi" in out and _broken.OLD in out and "cxx11abiTRUE" in out
    assert "https://github.com/Dao-AILab/flash-attention/issues/1644" in out
    assert err == "" and "Traceback" not in out and "{" not in out
    assert ("该用哪个函数" in out) == (lang == "zh")


def test_half_removed_packages_do_not_matter(environment, monkeypatch, capsys):
    _broken.attention("")(environment)
    for name in ("xformers-1.0", "triton-3.0", "~lash_attn-1"):
        (environment.site / f"{name}.dist-info").mkdir()
    (info,) = environment.site.glob("flash_attn*.dist-info")
    (info / "direct_url.json").write_text("[]")
    (environment.site / "xformers-1.0.dist-info/METADATA").write_text("Name: xformers")
    environment.activate(monkeypatch)
    report = told(capsys)
    assert report["healthy"] and len(report["packages"]) == 2


def test_one_that_never_ends_is_stopped(environment, monkeypatch, capsys):
    _broken.attention("import signal; signal.pause()")(environment)
    environment.activate(monkeypatch)
    monkeypatch.setattr(look, "SECONDS", 0)
    report = told(capsys)
    assert {x["id"] for x in report["findings"]} == {"slow"} and report["healthy"]


def test_of_here(capsys):
    """In the environment of the tests, with its PyTorch, which really chooses."""
    torch = pytest.importorskip("torch")
    report = told(capsys, "--shape", "1,2,64,32", "--dtype", "float32")
    assert report["torch"]["version"] == torch.__version__
    assert report["torch"]["abi"] == torch.compiled_with_cxx11_abi()
    assert report["sdpa"][0]["backend"] in ("flash_attention", "efficient_attention")
    assert not any(x["package"] in ("PyTorch", "Triton") for x in report["findings"])


def test_refused(refused):
    for value in ("1,2,3", "1,2,3,x", "0,1,1,1", "99999,99999,1,1", "", "1,2,3,-4"):
        assert refused("doctor", "--shape", value).startswith("--shape must be four")
    assert "四个整数" in refused("doctor", "--shape", "1", "--lang", "zh")
    assert refused("doctor", "--dtype", "fp8").startswith("--dtype must be one of")
    assert "there" in refused("doctors") and "'--gpu'" in refused("doctor", "--gpu")


MANGLED = {
    _broken.OLD: "old",
    _broken.NEW: "new",
    _broken.ZEROS: None,
    "_ZN3c104cuda9SetDeviceEi": None,
    "_ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_ib": None,
    "_ZN5torch3jit17parseSchemaOrNameERKSs": "old",
    "_ZNK3c104Type3strB5cxx11Ev": "new",
    "_ZN4ClaSs3ESsEi": None,  # letters of a name
}


def test_strings_in_symbols():
    assert {x: string_abi(x) for x in MANGLED} == MANGLED


SAID = {  # more of what threads report
    "x.so: undefined symbol: _ZN3c104cuda9SetDeviceEa": "torch-version",
    "libcudart.so.12: cannot open shared object file: No such file": "cuda-version",
    "x.so: undefined symbol: __nvJitLinkComplete_12_4, version x": "cuda-libraries",
    "version `GLIBCXX_3.4.26' not found (required by x.so)": "glibc",
    "No module named 'flash_attn_3_cuda'": "no-extension",
    "Could not find shared object file for Transformer Engine torch lib.": (
        "transformer-engine-parts"
    ),
    "No module named 'quack'": "missing-package",
}


@pytest.mark.parametrize("text", SAID)
def test_other_messages(text):
    package = {"local": False, "other": False, "beside": False, "foreign": None}
    torch = {"cuda": "12.4", "hip": None, "abi": True}
    assert judge.known(text, package, torch)[0] == SAID[text]
