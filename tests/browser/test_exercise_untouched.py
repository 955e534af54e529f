"""An exercise that nobody has checked yet, and one without JavaScript."""

from tilewise.render.exercise import solution, words


def test_without_scripts(visit):
    """What is asked, hints and a solution stand there, folded."""
    page = visit("zh/softmax/merging.html", javascript=False)
    whole = page.locator("tw-exercise")
    assert whole.locator("textarea").count() == 0
    assert words("merge", "zh")["task"][0] in whole.inner_text()
    shown = whole.locator(".tw-solution code").text_content() + "\n"
    assert solution("merge", "zh") == shown
    assert whole.locator("details").count() == 5


def test_nothing_is_loaded_before_the_first_check(visit):
    """What is checked is folded until then."""
    page = visit("reference/exercises.html")
    assert page.locator(".tw-checks").count() > 20
    assert page.locator(".tw-checks[open]").count() == 0
    page.locator("tw-exercise[name=merge]").get_by_role("textbox").fill("x")
    page.wait_for_timeout(400)
    assert not [x for x in page.requested if "micropython" in x or "python.json" in x]
