"""The clock of the figure in motion, as CSS, and the radio buttons that rule it.

The loop has four tiles and a rest; a tile has five phases: load, S, P̃, update, store.
Without animation (print, reduced motion, a button pressed) the class om-<n> says in
which stills a group is seen; om-h hides it in the others.
"""

from draw.figures._svg import ZOOM

TILES, TILE, REST = 4, 4.0, 2.0  # how many, and seconds
TOTAL, PHASE = TILES * TILE + REST, TILE / 5
ID = "one-minute"
WORDS = {
    "en": ("Play", "Pause", "Tile {}", "Done", "Animation"),
    "zh": ("播放", "暂停", "第 {} 块", "完成", "动画"),
}
ON, OFF, DIM = "opacity:1", "opacity:0", "opacity:.5"
LOW, UP = "transform:translateY(var(--y));filter:none", "transform:none;filter:none"
LIFT = "filter:drop-shadow(0 1px 2px var(--tw-ink))"  # it passes over numbers


def frames(name, *stops):
    """@keyframes from (seconds, declarations)."""
    made = "".join(f"{100 * t / TOTAL:.4g}%{{{what}}}" for t, what in stops)
    return f"@keyframes om-{name}{{{made}}}"


def shown(name, start, end, fade=0.25):
    """@keyframes of what is seen from `start` to `end`, in seconds."""
    stops = [(0, OFF), (start, OFF), (start + fade, ON)] if start > 0 else [(0, ON)]
    if end < TOTAL:
        stops += [(end - fade, ON), (end, OFF)]
    return frames(name, *stops, (TOTAL, OFF if end < TOTAL else ON))


def flight(start):
    """The shadow of what moves for a phase."""
    return [(start + 0.1, LIFT), (start + PHASE - 0.1, LIFT)]


def raised(name, end):
    """@keyframes of what rises from HBM and is gone at `end`."""
    stops = [(0, f"{ON};{LOW}"), *flight(0), (PHASE, f"{ON};{UP}")]
    stops.append((end - 0.3, f"{ON};{UP}"))
    return frames(name, *stops, (end, f"{OFF};{UP}"), (TOTAL, OFF))


def clock(versions):
    """{class: @keyframes}; versions are (born, dies), in tiles, of what HBM holds."""
    there = [(0, f"{ON};{LOW}"), *flight(0), (PHASE, f"{ON};{UP}"), (TILE - PHASE, UP)]
    back = [*flight(TILE - PHASE), (TILE, f"{ON};{LOW}")]
    back += [(TILE + 0.01, f"{OFF};{LOW}"), (TOTAL, OFF)]
    old = [(0, ON), (3.2 * PHASE, ON), (3.4 * PHASE, OFF), (TOTAL, OFF)]
    lit = [(0, ON), (PHASE, ON), (PHASE + 0.2, DIM), (TOTAL - 0.2, DIM), (TOTAL, ON)]
    made = {
        "q": raised("q", 4 * PHASE),
        "kv": raised("kv", 2 * TILE - 0.1),
        "o": frames("o", *there, *back),
        "old": frames("old", *old),
        "new": shown("new", 3.3 * PHASE, TOTAL),
        "s": shown("s", PHASE, 2.3 * PHASE),
        "p": shown("p", 2.1 * PHASE, 4 * PHASE),
        "t": shown("t", PHASE, 4 * PHASE),
        "a": shown("a", 0, TILE, 0.1),
        "f": frames("f", *lit),
        "d": shown("d", TILES * TILE, TOTAL),
    }
    for born, dies in versions:  # they change while the tile that came back hides them
        end = dies * TILE if dies <= TILES else TOTAL
        made[f"v{born}{dies}"] = shown(f"v{born}{dies}", born * TILE - 0.05, end, 0.05)
    return made


def style(still, versions):
    """The <style> of the figure; `still` is the tile seen where nothing moves."""
    made, ends = clock(versions), range(1, TILES + 2)
    chosen = f":is({','.join(f'#{ID}-{n}' for n in ends)}):checked~svg"
    delay = f"calc(var(--n,0)*{TILE:g}s + var(--f,0)*{PHASE:g}s - {TOTAL:g}s)"
    rules = [
        f".om-h{{{OFF}}}.om-h.om-{still}{{{ON}}}",
        "@media screen and (prefers-reduced-motion:no-preference){",
        f".om-h,.om-f{{animation:{TOTAL:g}s ease-in-out {delay} infinite}}",
        *(f".om-{name}{{animation-name:om-{name}}}" for name in made),
        "}",
        *made.values(),
        f"#{ID}-pause:checked~svg *{{animation-play-state:paused}}",
        f"{chosen} *{{animation:none}}{chosen} .om-h{{{OFF}}}",
        *(f"#{ID}-{n}:checked~svg .om-h.om-{n}{{{ON}}}" for n in ends),
    ]
    return "\n".join(["<style>", *rules, "</style>"])


def controls(lang, picture, width, height):
    """The picture and its buttons, as HTML; the CSS shows the buttons below it."""
    play, pause, tile, done, title = WORDS[lang]
    buttons = [("play", play, play), ("pause", pause, pause)]
    buttons += [(n, n, tile.format(n)) for n in range(1, TILES + 1)]
    size = f'style="max-width:{ZOOM * width:g}px;--tw-ratio:{width}/{height}"'
    made = [f'<div class="tw-motion" {size} role="group" aria-label="{title}">']
    for key, seen, name in [*buttons, (TILES + 1, done, done)]:
        live = ' class="tw-live"' if key in ("play", "pause") else ""
        own = f'id="{ID}-{key}" aria-label="{name}"{live}'
        on = ' checked=""' if key == "play" else ""
        made.append(f'<input type="radio" name="{ID}" {own}{on}/>')
        made.append(f'<label for="{ID}-{key}"{live}>{seen}</label>')
    return "\n".join([*made, picture, "</div>"])
