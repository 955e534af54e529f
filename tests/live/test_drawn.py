"""What pages show of exercises and of the widgets' Python is what is drawn now.

tests/site/test_generated.py compares every file, in minutes; this is the quick part.
"""

import json

import generate
import pytest
from draw import exercises
from draw.modules import module
from repository import ROOT

from tilewise.live import calculator

FOLDER = ROOT / "docs/generated"
MADE = [("elements", x) for x in ("calculator", "strip_online", "strip_merging")]
MADE += [("tables", f"stepper_{x}") for x in ("forward", "backward", "orders")]
each_language = pytest.mark.parametrize("lang", ["en", "zh"])


def there(name):
    return (FOLDER / name).read_text("utf-8").rstrip()


@each_language
@pytest.mark.parametrize(("kind", "name"), MADE)
def test_widgets_without_a_script(kind, name, lang):
    path = f"{kind}/{lang}/{name.replace('_', '-')}.{generate.KINDS[kind]}"
    assert module(kind, name).draw(lang).rstrip() == there(path)


@each_language
def test_the_calculator_s_first_data(lang):
    assert calculator.default(lang) == json.loads(there(f"live/calculator-{lang}.json"))


@pytest.mark.parametrize(("name", "asked"), generate.FILMS.items())
def test_the_stepper_s_first_films(name, asked):
    assert generate.film(asked) == there(f"live/{name}")


@each_language
def test_exercises(lang):
    for name in exercises.NAMES:
        path = f"exercises/{lang}/{name.replace('_', '-')}.html"
        assert exercises.draw(name, lang).rstrip() == there(path)
