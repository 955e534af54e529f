"""What the doctor can find: how it is recognised, what to do, where it was asked."""

from tilewise.cli.doctor.rows import table
from tilewise.cli.doctor.show import address

SAY = {
    "en": ("Sign: {}. ", "Remedy: {}", "Asked in {}."),
    "zh": ("特征：{}。", "办法：{}", "出处：{}。"),
}


def link(thread):
    """A thread as the page of questions names it: the best-known owners left out."""
    owner, _, short = thread.partition("/")
    known = {"Dao-AILab", "pytorch", "triton-lang"}
    return f"[`{short if owner in known else thread}`]({address(thread)})"


def draw(group, lang):
    """The findings of one group, as a list of definitions with anchors."""
    sign, remedy, asked = SAY[lang]
    lines = []
    for x in table()["finding"]:
        if x["group"] == group:
            first = sign.format(x[lang]["sign"])
            says = [first + remedy.format(x[lang]["advice"])]
            if x["threads"]:
                says.append(asked.format(" · ".join(map(link, x["threads"]))))
            lines += [f"`{x['id']}` {{ #{x['id']} }}", *(f":   {y}" for y in says), ""]
    return "\n".join(lines)
