"""The page's Python: asked, run, stopped, and not there until somebody asks."""

from ._windows import watch

MODULE = "import(new URL('/assets/js/runtime.js', location))"
RUN = f"""async (source) => {{
  const {{ run }} = await {MODULE};
  const shown = [];
  return {{ ...(await run(source, (text) => shown.push(text))), shown }};
}}"""
STOP = f"""async (wait) => {{
  const {{ run, stop }} = await {MODULE};
  const endless = run("while True: print('on and on')");
  const after = run("print('a new one')");
  setTimeout(() => stop(endless), wait);
  const {{ problem }} = await endless.catch((error) => error);
  return [problem.code, (await after).output];
}}"""


def test_a_program_runs(visit):
    page = visit("zh/index.html")
    made = page.evaluate(RUN, "from tilewise.softmax import merge\nprint(1 / 4, '块')")
    assert made["output"] == made["shown"][-1] == "0.25 块\n" and not made["error"]
    made = page.evaluate(RUN, "x = 1\n\nprint(x)\ny = x / 0\n")
    error = {"message": "ZeroDivisionError: divide by zero", "line": 4}
    assert made["output"] == "1\n" and made["error"] == error
    made = page.evaluate(RUN, "import tilewise.softmax as s\ns.weight = None")
    made = page.evaluate(RUN, "import tilewise.softmax as s\nprint(s.weight(0, 0))")
    assert made["output"] == "1.0\n", "what a program changed outlived it"
    made = page.evaluate(RUN, "for i in range(9000): print(i, i)")
    assert made["cut"] and len(made["output"]) == 20000


def test_a_loop_without_end_is_stopped(visit):
    page = visit("index.html")
    assert page.evaluate(STOP, 700) == ["stopped", "a new one\n"]


def test_nothing_is_loaded_before_it_is_asked_for(visit):
    page = visit("softmax/safe-softmax.html")
    page.wait_for_timeout(500)
    assert not [x for x in page.requested if "micropython" in x or "python.json" in x]
    page.evaluate(RUN, "print(1)")
    assert sum("micropython.wasm" in x for x in page.requested) == 1


HOSTILE = {
    "nested": "(" * 2000,
    "huge": "#" * 100001,
    "deep": "x = " + "[" * 3000 + "]" * 3000,
    "recursion": "def f():\n    return f()\nf()",
    "memory": "x = bytearray(10**9)",
    "long": "x = '" + "a" * 50000 + "'\nprint(len(x))",
    "odd": "\0\x01é\u2028<script>",
    "exit": "import sys\nsys.exit(3)",
    "undone": "import math\nmath.exp = None\nprint = None",
}
EACH = f"""async (programs) => {{
  const {{ run }} = await {MODULE};
  const made = {{}};
  for (const [name, source] of Object.entries(programs)) {{
    const one = await run(source).catch((error) => error.problem);
    const after = await run("import math\\nprint(math.exp(0))");
    made[name] = [one.error?.message ?? one.code ?? one.output, after.output];
  }}
  return made;
}}"""


def test_hostile_programs_leave_the_page_alive(visit):
    made = visit("index.html").evaluate(EACH, HOSTILE)
    print(made)
    assert all(after == "1.0\n" for _, after in made.values())
    assert made["recursion"][0].startswith("RuntimeError: maximum recursion")
    assert made["memory"][0].startswith("MemoryError") and made["long"][0] == "50000\n"
    assert made["huge"][0] == "too-long"
    assert made["odd"][0].startswith("SyntaxError") and made["exit"][0] == ""


def test_from_a_folder_and_without_scripts(browser, visit, site):
    """Browsers load no modules there: the page stays as it is, and says nothing."""
    page = browser.new_page()
    watch(page, "file://")
    page.goto((site / "softmax/safe-softmax.html").as_uri())
    page.locator("nav.md-code__nav[aria-label]").first.wait_for()
    assert page.wrong == [] and page.locator(".tw-start").count() == 0
    page.close()
    page = visit("zh/softmax/safe-softmax.html", javascript=False)
    assert page.locator(".tw-run pre > code").count() == 2
